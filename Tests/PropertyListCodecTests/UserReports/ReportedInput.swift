// What users have reported of other libraries: each report has a test of what this one does with such an input. The
// numbers are those of the list in which the reports were gathered.

import PropertyListCodec

/// The file with these elements in Apple's root element.
func xmlList(_ elements: String) -> [UInt8] {
  Array("<plist version=\"1.0\">\(elements)</plist>".utf8)
}

/// Why a list is not read. Nil when it is.
func refusal(
  _ bytes: [UInt8], isStrict: Bool = false, as format: PropertyListDocument.Format? = nil
) -> PropertyListError? {
  var options = PropertyListDocument.Options()
  options.isStrict = isStrict
  do throws(PropertyListError) {
    if let format {
      _ = try PropertyListDocument(bytes, as: format, options: options)
    } else {
      _ = try PropertyListDocument(bytes, options: options)
    }
    return nil
  } catch {
    return error
  }
}

/// The code of what a closure throws, where that is an error of the codec.
func code(of attempt: () throws -> Void) -> String? {
  do {
    try attempt()
    return nil
  } catch let error as PropertyListError {
    return error.code.rawValue
  } catch let error as KeyedArchiveError {
    return error.code.rawValue
  } catch {
    return "\(type(of: error))"
  }
}

/// What `inspect` shows.
func shownText(_ bytes: [UInt8]) throws -> String {
  String(decoding: try PropertyListDescription(bytes).text(), as: UTF8.self)
}

func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
