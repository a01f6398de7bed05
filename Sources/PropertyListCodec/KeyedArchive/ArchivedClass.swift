// The classes of archived objects, as data: names that the archive tells, and which of the classes whose
// encoding is known an object is of.

/// The class of an archived object, as the archive describes it.
public struct ArchivedClass: Hashable, Sendable {
  /// `$classname`, or what the reader's options call that class.
  public let name: String
  /// `$classes`: the class itself, its superclass, and so on up to `NSObject`. Empty where the archive does
  /// not say.
  public let chain: [String]
  /// `$classhints`: classes to take where this one is not known.
  public let hints: [String]

  public init(name: String, chain: [String], hints: [String] = []) {
    self.name = name
    self.chain = chain
    self.hints = hints
  }

  public static func == (left: ArchivedClass, right: ArchivedClass) -> Bool {
    left.names.elementsEqual(right.names) { $0.utf8.elementsEqual($1.utf8) }
      && left.chain.count == right.chain.count
  }

  public func hash(into hasher: inout Hasher) {
    for var name in names {
      name.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      hasher.combine(UInt8(0xff))
    }
  }

  /// All names, the one to try first in front.
  var names: [String] { [name] + chain + hints }

  /// Whether this is one of `allowed`, or a subclass of one (secure coding's rule).
  func isKind(ofAny allowed: Set<String>) -> Bool {
    ([name] + chain).contains { name in
      // Sets of strings compare by canonical equivalence.
      allowed.firstIndex(of: name).map { allowed[$0].utf8.elementsEqual(name.utf8) } ?? false
    }
  }
}

/// A class whose encoding is known, so that its objects have a value other than their fields.
enum KnownClass {
  case string, data, date, number, null, uuid
  case array, set, orderedSet, countedSet, dictionary
  case url, attributedString
  case decimalNumber, value, indexSet, indexPath
  case locale, timeZone, calendar, dateComponents, dateInterval
  case personNameComponents, notification, error, regularExpression, measurement, unit
  case color, colorSpace, font, fontDescriptor, affineTransform
  case image, bitmapImage, cursor
  case comparisonPredicate, compoundPredicate, keyPathExpression, constantExpression, selfExpression
  /// Values of typed streams that are no objects.
  case cString, selector, atom, classReference

  /// By the name of the class. Mutable classes, class clusters' members and subclasses are found by their
  /// superclasses, which stand in the archive.
  static let byName: [String: KnownClass] = [
    "NSString": .string, "NSMutableString": .string,
    "NSData": .data, "NSMutableData": .data,
    "NSDate": .date, "NSNumber": .number, "NSNull": .null, "NSUUID": .uuid,
    "NSArray": .array, "NSMutableArray": .array,
    "NSSet": .set, "NSMutableSet": .set,
    "NSOrderedSet": .orderedSet, "NSMutableOrderedSet": .orderedSet,
    "NSCountedSet": .countedSet,
    "NSDictionary": .dictionary, "NSMutableDictionary": .dictionary,
    "NSURL": .url,
    "NSAttributedString": .attributedString, "NSMutableAttributedString": .attributedString,
    "NSDecimalNumber": .decimalNumber, "NSDecimalNumberPlaceholder": .decimalNumber,
    "NSValue": .value,
    "NSIndexSet": .indexSet, "NSMutableIndexSet": .indexSet, "NSIndexPath": .indexPath,
    "NSLocale": .locale, "NSTimeZone": .timeZone, "NSCalendar": .calendar,
    "NSDateComponents": .dateComponents, "NSDateInterval": .dateInterval,
    "NSPersonNameComponents": .personNameComponents, "NSNotification": .notification,
    "NSError": .error, "NSRegularExpression": .regularExpression,
    "NSMeasurement": .measurement, "NSUnit": .unit,
    "NSColor": .color, "NSColorSpace": .colorSpace,
    "NSFont": .font, "NSFontDescriptor": .fontDescriptor,
    "NSAffineTransform": .affineTransform,
    "NSImage": .image, "NSBitmapImageRep": .bitmapImage, "NSCursor": .cursor,
    "NSComparisonPredicate": .comparisonPredicate, "NSCompoundPredicate": .compoundPredicate,
    "NSKeyPathSpecifierExpression": .keyPathExpression,
    "NSConstantValueExpression": .constantExpression, "NSSelfExpression": .selfExpression,
    "char *": .cString, "SEL": .selector, "NXAtom": .atom, "Class": .classReference,
  ]

  /// The first known class among the names of a class.
  init?(_ archived: ArchivedClass) {
    for name in archived.names {
      if let known = Self.byName[name] {
        self = known
        return
      }
    }
    return nil
  }
}
