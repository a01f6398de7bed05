// swift-tools-version: 6.2
// kcarchive: a keychain in one encrypted file. The order of targets is the order of layers: a target
// knows only those above it in this file.

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  // A span that a type of ours hands out (`SecretBytes.bytes`) needs lifetime annotations.
  .enableExperimentalFeature("Lifetimes"),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
  name: "kcarchive",
  products: [
    .executable(name: "kcarchive", targets: ["kcarchive"]),
    .library(name: "KeychainArchive", targets: ["KeychainArchive", "KeychainModel"]),
    .library(name: "PropertyListCodec", targets: ["PropertyListCodec"]),
    // Keychain code of Apple's platforms, where there is no Security.framework.
    .library(name: "Security", targets: ["Security"]),
  ],
  targets: [
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    module("ByteCoding"),
    module("PropertyListCodec", ["ByteCoding"]),
    module("ArchiveCrypto", ["ByteCoding", "COpenSSL", "CArgon2"]),
    module("ArchiveContainer", ["ByteCoding", "ArchiveCrypto", "CLinux", "CZlib"]),
    module("KeychainModel", ["ByteCoding"]),
    module(
      "KeychainArchive", ["ByteCoding", "KeychainModel", "ArchiveContainer", "ArchiveCrypto"]),
    module(
      "Security",
      ["ByteCoding", "ArchiveCrypto", "ArchiveContainer", "KeychainModel", "KeychainArchive"]),
    module(
      "KeychainInterchange",
      [
        "ByteCoding", "PropertyListCodec", "KeychainModel", "KeychainArchive", "ArchiveContainer",
        "ArchiveCrypto", "CLinux",
      ]),
    module(
      "KCArchiveCLI",
      [
        "ByteCoding", "PropertyListCodec", "KeychainModel", "KeychainArchive",
        "KeychainInterchange", "ArchiveContainer", "ArchiveCrypto", "CLinux",
      ]),
    // All symbols are bound at the start: the binder that works at first calls saves the registers, with what a
    // copied secret left in them, on the stack.
    .executableTarget(
      name: "kcarchive", dependencies: ["KCArchiveCLI"], swiftSettings: settings,
      linkerSettings: [.unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"])]),
    .executableTarget(
      name: "codec-bench", dependencies: ["ByteCoding", "PropertyListCodec"],
      path: "Tests/Benchmarks/ListReading", swiftSettings: settings),
    .executableTarget(
      name: "codec-mutations", dependencies: ["PropertyListCodec"], path: "Tests/Fuzz/Mutations",
      swiftSettings: settings),

    .executableTarget(
      name: "keychain-bench", dependencies: ["Security"],
      path: "Tests/Benchmarks/KeychainLookups", swiftSettings: settings),
    .executableTarget(
      name: "keychain-stress", dependencies: ["Security", "KeychainArchive"],
      path: "Tests/Stress", swiftSettings: settings),

    tests(
      "KCArchiveCLITests", ["KCArchiveCLI", "ArchiveContainer", "ArchiveCrypto", "ByteCoding"]),
    tests(
      "CLITests",
      [
        "kcarchive", "ByteCoding", "KeychainModel", "KeychainArchive", "ArchiveContainer",
        "TestSupport",
      ]),
    tests("ByteCodingTests", ["ByteCoding"]),
    tests("ArchiveCryptoTests", ["ByteCoding", "ArchiveCrypto", "CArgon2"]),
    .target(
      name: "TestSupport", dependencies: ["ByteCoding", "ArchiveCrypto", "ArchiveContainer"],
      path: "Tests/TestSupport", swiftSettings: settings),
    tests(
      "ArchiveContainerTests", ["ByteCoding", "ArchiveCrypto", "ArchiveContainer", "TestSupport"]),
    tests(
      "KeychainArchiveTests",
      [
        "ByteCoding", "ArchiveCrypto", "ArchiveContainer", "KeychainModel", "KeychainArchive",
        "QueryCases", "TestSupport",
      ]),
    tests(
      "WrapperTests",
      [
        "kcarchive", "ByteCoding", "PropertyListCodec", "ArchiveContainer", "KeychainModel",
        "KeychainArchive", "Security", "keychain-stress",
      ]),
    tests("SecurityTests", ["KeychainModel", "KeychainArchive", "Security", "QueryCases"]),
    .target(name: "QueryCases", path: "Tests/QueryCases", swiftSettings: settings),
    tests("PropertyListCodecTests", ["ByteCoding", "PropertyListCodec", "codec-mutations"]),
    tests("FoundationClientTests", ["PropertyListCodec"]),
    tests("KeychainModelTests", ["KeychainModel", "ByteCoding"]),
    tests(
      "KeychainInterchangeTests",
      [
        "ByteCoding", "PropertyListCodec", "KeychainModel", "KeychainInterchange",
        "ArchiveContainer", "ArchiveCrypto",
      ]),
    tests(
      "ConformanceTests",
      [
        "ByteCoding", "PropertyListCodec", "KeychainModel", "KeychainArchive",
        "KeychainInterchange", "ArchiveContainer", "ArchiveCrypto",
      ]),
  ]
)
