/// The kinds of papers that a store can want of its couriers, and is told of.
public enum PaperKind: String, CaseIterable, Sendable {
    /// An EU Digital COVID Certificate, whatever it certifies: which of the three would tell of an illness.
    case healthCertificate = "eu_dcc"
    case licence
    case insurance
    case health
    case other

    /// Those of which couriers say themselves what they are.
    public static let stated = allCases.filter { $0 != .healthCertificate }
}
