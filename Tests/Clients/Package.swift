// swift-tools-version: 5.9
// An application's own package, as it would be for iOS: nothing in its sources knows of Linux. It builds here
// because `Security` is a product of the package two folders up.

import PackageDescription

let package = Package(
  name: "TokenStore",
  dependencies: [.package(name: "kcarchive", path: "../..")],
  targets: [
    .target(
      name: "TokenStore", dependencies: [.product(name: "Security", package: "kcarchive")]),
    .testTarget(
      name: "TokenStoreTests",
      dependencies: ["TokenStore", .product(name: "Security", package: "kcarchive")]),
  ]
)
