import Postgres

/// Part of a list. Items that are not for its reader, or that are not looked for, are left out.
package struct Found<Item: Sendable>: Sendable {
    /// How many places of a list are looked at in one step.
    package static var mostPlaces: Int32 { 1000 }

    package let items: [Item]
    /// Where to go on if there may be more although the page is not full.
    package let edge: [String]?

    package init(items: [Item], edge: [String]?) {
        (self.items, self.edge) = (items, edge)
    }

    /// Reads rows that each say where the statement stopped.
    package init(_ rows: [Remarked<[String]?, Item>]) {
        self.init(items: rows.compactMap(\.item), edge: rows.first?.remark)
    }
}

/// A row with a remark on what was looked at, and perhaps an item.
package struct Remarked<Remark: Sendable, Item: Sendable>: Sendable {
    package let remark: Remark
    package let item: Item?

    /// Reads the item behind the remark, unless its first column is NULL.
    package init(_ remark: Remark, _ row: inout RowReader, item: (inout RowReader) throws -> Item) throws {
        self.remark = remark
        self.item = row.isNextNull() ? nil : try item(&row)
    }
}
