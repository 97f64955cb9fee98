import Domain
import Postgres

/// What is kept of a conversation that decides who may what in it.
struct ConversationStanding: Sendable {
    private let isOpen, isBlocked: Bool
    private let store, courier: Side

    /// What holds for one side alone.
    private struct Side: Sendable {
        let isHidden, isMuted, isReading, isErased: Bool

        init(_ row: inout RowReader) throws {
            (isHidden, isMuted) = (try row.read(), try row.read())
            (isReading, isErased) = (try row.read(), try row.read())
        }
    }

    /// Of a conversation `c`, its store `s` and its courier `k`. Whoever is erased has no name.
    static let columns = """
        c.is_open, c.blocked, \(columns(of: "store", name: "s.name")), \(columns(of: "courier", name: "k.first_name"))
        """

    /// Who said so lately that it has read has the conversation open.
    private static func columns(of side: String, name: String) -> String {
        """
        c.\(side)_hidden, c.\(side)_muted,
        coalesce(c.\(side)_read_at > clock_timestamp() - interval '20 seconds', false), \(name) = ''
        """
    }

    init(_ row: inout RowReader) throws {
        (isOpen, isBlocked) = (try row.read(), try row.read())
        (store, courier) = (try Side(&row), try Side(&row))
    }

    func states(of side: AccountKind) -> Set<ConversationState> {
        let (own, other) = side == .store ? (store, courier) : (courier, store)
        let held: [(Bool, ConversationState)] = [
            (isOpen, .partners), (!isOpen, .ended), (isBlocked, .blocked), (own.isHidden, .hidden),
            (own.isMuted, .muted), (own.isReading, .reading), (own.isErased, .erased), (other.isErased, .otherErased),
        ]
        return Set(held.filter(\.0).map(\.1))
    }

    func rights(of side: AccountKind) -> ConversationRights { ConversationState.rights(of: side, in: states(of: side)) }
}
