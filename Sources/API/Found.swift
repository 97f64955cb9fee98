import Postgres

/// What a page of a list has, of which not everything is for its reader, or not everything what is looked for.
package struct Found<Item: Sendable>: Sendable {
    /// So many places of a list are looked at in a row.
    package static var mostPlaces: Int32 { 1000 }

    package let items: [Item]
    /// Where to go on if there may be more although the page is not full.
    package let edge: [String]?

    package init(items: [Item], edge: [String]?) {
        (self.items, self.edge) = (items, edge)
    }

    /// What a statement gives that says in each row where it stopped.
    package init(_ rows: [Remarked<[String]?, Item>]) {
        self.init(items: rows.compactMap(\.item), edge: rows.first?.remark)
    }
}

/// A row that may have nothing but a remark on what was looked at.
package struct Remarked<Remark: Sendable, Item: Sendable>: Sendable {
    package let remark: Remark
    package let item: Item?

    /// Reads the item behind the remark, unless its first column is NULL.
    package init(_ remark: Remark, _ row: inout RowReader, item: (inout RowReader) throws -> Item) throws {
        self.remark = remark
        self.item = row.isNextNull() ? nil : try item(&row)
    }
}
