// Predicates and the expressions in them. Their operands are objects; the line says what sort they are.

extension DescriptionBuilder {
  mutating func comparisonPredicate() -> Result? {
    guard fields.reference("NSLeftExpression") != nil, fields.reference("NSRightExpression") != nil
    else { return nil }
    add("left", field: "NSLeftExpression")
    add("operator", field: "NSPredicateOperator")
    add("right", field: "NSRightExpression")
    return ("predicate", "comparison")
  }

  mutating func compoundPredicate() -> Result? {
    guard let type = addInteger("compound type", field: "NSCompoundPredicateType"), 0...2 ~= type
    else { return nil }
    add("predicates", field: "NSSubpredicates")
    return ("predicate", ["NOT", "AND", "OR"][Int(type)])
  }

  mutating func keyPathExpression() -> Result? {
    guard let path = addString("key path", field: "NSKeyPath") else { return nil }
    add("expression type", field: "NSExpressionType")
    return ("key path", path)
  }

  mutating func constantExpression() -> Result? {
    guard fields.reference("NSConstantValue") != nil else { return nil }
    add("value", field: "NSConstantValue")
    add("expression type", field: "NSExpressionType")
    return ("constant", "its value")
  }

  /// The object that a predicate is asked about.
  mutating func selfExpression() -> Result? {
    guard fields.integer("NSExpressionType") == 1 else { return nil }
    add("expression", .string("SELF"))
    return ("expression", "SELF")
  }
}
