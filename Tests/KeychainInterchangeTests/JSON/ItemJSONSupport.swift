// Reading and writing items in one line, for the tests.

import ArchiveCrypto
import ByteCoding
import KeychainInterchange
import KeychainModel
import PropertyListCodec

struct ReadItem: Equatable {
  var item: KeychainItem
  var source: ItemJSON.Value
  /// Nil where the value is not in memory.
  var value: [UInt8]?
}

func readItem(
  _ json: [UInt8], at place: JSONPlace = JSONPlace(), capacity: Int = 64
) throws(ItemJSONError) -> ReadItem {
  var value = SecretBytes(count: 0, capacity: capacity)
  let (item, source) = try ItemJSON.read(json.bytes, at: place, value: &value)
  let bytes = value.bytes.array(at: 0, count: value.count)
  return ReadItem(item: item, source: source, value: source == .inMemory ? bytes : nil)
}

func readItem(_ json: String) throws(ItemJSONError) -> ReadItem { try readItem(Array(json.utf8)) }

func writeItem(_ item: KeychainItem, value: [UInt8]?) -> String {
  var output = SecretBytes(count: 0, capacity: 16)
  var writer = ItemJSONWriter()
  if let value {
    writer.append(item, value: value.bytes, to: &output)
  } else {
    writer.append(item, value: nil, to: &output)
  }
  return String(decoding: output.bytes.array(at: 0, count: output.count), as: UTF8.self)
}

/// The example of the Spec.
let exampleJSON = """
  {"class":"genp","service":"com.example.app","account":"alice",\
  "accessGroup":"ABCDE12345.com.example","accessible":"ck","synchronizable":false,\
  "label":"Example","created":"2024-05-01T12:00:00Z","modified":"2024-05-02T08:30:00Z",\
  "value":{"utf8":"s3cret"}}
  """

let exampleItem = KeychainItem(
  .genericPassword,
  [
    .service: .text("com.example.app"), .account: .text("alice"),
    .accessGroup: .text("ABCDE12345.com.example"), .accessible: .text("ck"),
    .synchronizable: .boolean(false), .label: .text("Example"), .creationDate: .date(736_257_600),
    .modificationDate: .date(736_331_400),
  ])
