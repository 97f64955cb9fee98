/// When a courier's stores see where it is.
public enum PositionSharing: String, CaseIterable, Sendable {
    /// All of them, while it is on duty.
    case always
    /// Only those for whom it carries something, as long as it does.
    case carrying
}
