// How many lookups by primary key SecItemCopyMatching does in a second of processor time, on one thread.
//
//   KCARCHIVE_KEYCHAIN=… KCARCHIVE_PASSPHRASE=… keychain-bench COUNT [SECONDS]
//
// The archive holds generic passwords of the service `bench` and the accounts `account 0` … COUNT - 1, each with the
// value `value of account N`, and no access group.

import Foundation
import Glibc
import Security

/// Looks `account` up and compares what comes back.
func lookUp(_ account: String, _ extra: [String: Any]) {
  var query: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword,
    kSecAttrService as String: "bench",
    kSecAttrAccount as String: account,
    kSecMatchLimit as String: kSecMatchLimitOne,
  ]
  for (key, value) in extra { query[key] = value }
  var result: CFTypeRef?
  let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
  let data = result as? Data ?? (result as? [String: Any])?[kSecValueData as String] as? Data
  guard status == errSecSuccess, data == Data("value of \(account)".utf8) else {
    fatalError("\(account): status \(status)")
  }
}

guard let count = CommandLine.arguments.dropFirst().first.flatMap({ Int($0) }) else {
  fatalError("usage: keychain-bench COUNT [SECONDS]")
}
let seconds = CommandLine.arguments.dropFirst(2).first.flatMap { Double($0) } ?? 3

/// Seconds of the processor that this process has used.
func processorTime() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }

func measure(_ name: String, _ extra: [String: Any]) {
  let start = Date()
  let processorStart = processorTime()
  var done = 0
  var number = 1
  while Date().timeIntervalSince(start) < seconds {
    for _ in 0..<100 {
      // Steps that visit all accounts in no order of theirs.
      number = (number &* 48_271) % 2_147_483_647
      lookUp("account \(number % count)", extra)
    }
    done += 100
  }
  let rate = Double(done) / (processorTime() - processorStart)
  print("\(name): \(Int(rate)) lookups a second of processor time")
}

let opening = Date()
lookUp("account 0", [kSecReturnData as String: true])
print("opening, with the first lookup: \(Int(Date().timeIntervalSince(opening) * 1000)) ms")
measure("values", [kSecReturnData as String: true])
measure(
  "values and attributes",
  [kSecReturnData as String: true, kSecReturnAttributes as String: true])
