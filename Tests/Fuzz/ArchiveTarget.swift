// Whole archives whose key is known, changed by a script (ArchiveScript.swift), through every way of reading. Nobody
// who has no key can make a reader give a value that was never written, and what is called sound reads without a
// finding.

import ArchiveContainer
import ByteCoding
import TestSupport

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzArchive(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let script = ArchiveScript.shared
  let edited = unsafe script.run(UnsafeBufferPointer(start: start, count: count))
  let credentials = script.original.credentials
  func check(_ value: [UInt8]?) {
    if let value, !edited.isForged { precondition(script.values.contains(value), "a value") }
  }

  _ = try? StructureCheck.run(MemoryDevice(edited.bytes), checksBodies: true)
  if let archive = try? script.original.open(edited.bytes) {
    let listing = try? archive.listing()
    for item in listing?.items ?? [] { check((try? archive.value(of: item)) ?? nil) }
    for item in script.original.items {
      for value in (try? archive.get(item.token)) ?? [] { check(value) }
    }
    if let report = try? archive.verify(), report.findings.isEmpty {
      precondition(listing?.findings.isEmpty == true, "sound, and yet with findings")
      precondition(archive.findings.isEmpty, "sound, and yet with findings")
      for item in listing!.items where item.hasValue {
        precondition((try? archive.value(of: item)) != nil, "sound, and yet a value does not open")
      }
    }
    let target = MemoryDevice()
    if let listing, listing.findings.isEmpty,
      let copier = try? ArchiveCopier(compacting: archive, to: target)
    {
      copy(listing.items, with: copier, to: target, of: archive)
    }
  }
  if let salvage = try? Salvage(
    MemoryDevice(edited.bytes), credentials: credentials, limits: .standard, savedHeader: nil)
  {
    let target = MemoryDevice()
    guard (try? salvage.write(to: target)) != nil else { return 0 }
    let saved = try! script.original.open(target.contents)
    precondition(try! saved.verify().findings.isEmpty, "salvaged")
    for item in try! saved.listing().items { check(try! saved.value(of: item)) }
  }
  return 0
}

/// A compacted copy has the same items and nothing to tell.
private func copy(
  _ items: [ItemRecord], with copier: consuming ArchiveCopier, to target: MemoryDevice,
  of archive: OpenedArchive
) {
  for item in items {
    guard (try? copier.append(item, token: item.token)) != nil else { return }
  }
  guard (try? copier.finish()) != nil else { return }
  let compacted = try! ArchiveScript.shared.original.open(target.contents)
  precondition(try! compacted.verify().findings.isEmpty, "compacted")
  precondition(try! compacted.listing().items.count == items.count, "compacted")
}
