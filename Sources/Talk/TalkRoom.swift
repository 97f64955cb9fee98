import API
import Deliveries
import Domain
import HTTP
import Postgres

/// Conversations of stores and couriers who work together, or did.
package struct TalkRoom: Room {
    private let committer: MessageCommitter
    private let searches: SlowReads

    package init(committer: MessageCommitter, searches: SlowReads) {
        (self.committer, self.searches) = (committer, searches)
    }

    static let name = "Conversations"
    static let types = ["message.created", "message.read", "message.deleted", "conversation.changed"]
    package var eventTypes: [String] { Self.types }

    package var endpoints: [Endpoint] {
        [
            Endpoint(
                .put, "/v1/conversations/with/{account_id}", for: .signedIn,
                "The one conversation with a partner of now or before, which begins if there is none", room: Self.name,
                answers: [.ok(Conversation.shape), .created(Conversation.shape)], refuses: [.notFound], handler: begin),
            Endpoint(
                .get, "/v1/conversations", for: .signedIn, "One's conversations, the latest first", room: Self.name,
                query: Self.parameters, answers: [.ok(.page(of: Conversation.shape, with: [Self.unread]))],
                refuses: [SlowReads.endedByAThird], handler: list),
            Endpoint(
                .get, "/v1/conversations/{id}", for: .signedIn, "One conversation", room: Self.name,
                answers: [.ok(Conversation.shape)], refuses: [.notFound]
            ) { try await answer($0, try $0.request.parameter("id")) },
            Endpoint(
                .patch, "/v1/conversations/{id}", for: .signedIn,
                "Mutes a conversation; a courier may block it, so that the store's messages are refused",
                room: Self.name, takes: ConversationChange.self, answers: [.ok(Conversation.shape)],
                refuses: [.notFound, .forbidden(.courier)], handler: change),
            Endpoint(
                .delete, "/v1/conversations/{id}", for: .signedIn,
                "Puts a conversation away for oneself alone, until the next message", room: Self.name,
                answers: [.noContent], refuses: [.notFound], handler: hide),
            Endpoint(
                .get, "/v1/conversations/{id}/messages", for: .signedIn, "What was said, the newest first",
                room: Self.name, query: Endpoint.Parameter.list, answers: [.ok(.page(of: SaidMessage.shape))],
                refuses: [.notFound], handler: messages),
            Endpoint(
                .post, "/v1/conversations/{id}/messages", for: .signedIn,
                "Says something: words, a picture, or both; perhaps about a delivery that both see", room: Self.name,
                takes: NewMessage.self, answers: [.created(SaidMessage.shape)],
                refuses: [.notFound, .partnershipEnded, .blockedByCourier, .unknownFile], keepsItsAnswer: true,
                stillSeen: isStillSaid, handler: say),
            Endpoint(
                .put, "/v1/conversations/{id}/read", for: .signedIn,
                "Says how far one has read, which never goes back, and that one has it open for the next 20 seconds",
                room: Self.name, takes: ReadForm.self, answers: [.ok(Conversation.shape)], refuses: [.notFound],
                handler: read),
            Endpoint(
                .delete, "/v1/conversations/{id}/messages/{message_id}", for: .signedIn,
                "Takes one's own message back within 10 minutes; its place stays", room: Self.name,
                answers: [.noContent], refuses: [.notFound, .notItsAuthor, .tooLate], handler: takeBack),
        ]
    }

    private static let unread = Shape.Member("unread", .count)
    private static let parameters =
        [
            Endpoint.Parameter(
                name: "q", shape: .string(most: Bounds.search),
                what: """
                    Words, each of which must begin a word of the other's name, regardless of case and accents; or digits \
                    of a partner's number. A page of a search may hold fewer items than asked for and still have a next page.
                    """),
            Endpoint.Parameter(name: "hidden", shape: .boolean, what: "true: those that were put away."),
        ] + Endpoint.Parameter.list

    // MARK: Conversations

    /// A conversation that the caller may read.
    private func find(_ id: ID, _ call: Call) async throws -> Conversation {
        guard let found = try await call.run(FindConversation(account: call.caller.account, id: id)).first,
            found.rights.reads
        else { throw Problem.notFound }
        return found
    }

    private func answer(_ call: Call, _ id: ID, _ status: Status = .ok) async throws -> Response {
        try await find(id, call).response(status)
    }

    private func begin(_ call: Call) async throws -> Response {
        let begin = BeginConversation(
            account: call.caller.account, other: try call.request.parameter("account_id"))
        guard let begun = try await call.run(begin).first else { throw Problem.notFound }
        return try await answer(call, begun.id, begun.isNew ? .created : .ok)
    }

    private func list(_ call: Call) async throws -> Response {
        let (account, page) = (call.caller.account, try call.page())
        let listed = try ListedConversations(of: account, isHidden: try call.request.flag("hidden") ?? false, page)
        let found: Found<Conversation>
        if let text = try call.request.text("q", upTo: Bounds.search) {
            found = try await searches.run(for: account) {
                Found(try await $0.run(SearchConversations(listed: listed, text: text)))
            }
        } else {
            found = Found(items: try await call.run(ListConversations(listed: listed)), edge: nil)
        }
        let unread = try await call.run(CountUnread(account: account)).first ?? 0
        return page.response(
            found.items, key: { ["\($0.latestAt.microseconds)", $0.id.description] }, next: found.edge
        ) {
            $0.field("unread", Int(unread))
        } write: { json, conversation in
            json.object(conversation.write)
        }
    }

    private func change(_ call: Call, _ form: ConversationChange) async throws -> Response {
        if form.isBlocked != nil, call.caller.kind != .courier { throw Problem.forbidden(.courier) }
        let id: ID = try call.request.parameter("id")
        try await change(
            call,
            ChangeConversation(
                account: call.caller.account, id: id, isMuted: form.isMuted, isBlocked: form.isBlocked))
        return try await answer(call, id)
    }

    private func hide(_ call: Call) async throws -> Response {
        let id: ID = try call.request.parameter("id")
        try await change(call, ChangeConversation(account: call.caller.account, id: id, isHidden: true))
        return Response(.noContent)
    }

    private func change(_ call: Call, _ change: ChangeConversation) async throws {
        guard try await call.run(change).first != nil else { throw Problem.notFound }
    }

    // MARK: Messages

    private func messages(_ call: Call) async throws -> Response {
        let (account, id, page): (ID, ID, Page) = (
            call.caller.account, try call.request.parameter("id"), try call.page()
        )
        _ = try await find(id, call)
        let said = try await call.run(ListMessages(account: account, conversation: id, page))
        return page.response(said, key: { ["\($0.at.microseconds)", "\($0.seq)"] }) { json, message in
            json.object(message.write)
        }
    }

    private func say(_ call: Call, _ form: NewMessage) async throws -> Response {
        let conversation: ID = try call.request.parameter("id")
        if let delivery = form.delivery { try await check(delivery, in: conversation, call) }
        let utterance = Utterance(
            conversation: conversation, author: call.caller.account,
            content: SaidMessage.Content(
                text: form.text, picture: try await picture(form.file, of: call), delivery: form.delivery),
            key: call.idempotencyKey, record: { call.record($0) })
        switch try await committer.commit(utterance) {
        case .made(let message):
            call.answerIsKept()
            return message.response
        case .refused(.partnershipEnded): throw Problem.partnershipEnded
        case .refused(.blockedByCourier): throw Problem.blockedByCourier
        case .notFound: throw Problem.notFound
        case .unknownFile: throw Problem.unknownFile
        case .keyTaken: throw KeyTaken()
        }
    }

    private func picture(_ file: ID?, of call: Call) async throws -> SaidMessage.Picture? {
        guard let file else { return nil }
        guard let found = try await call.run(FindLooseFile(file: file, account: call.caller.account)).first else {
            throw Problem.unknownFile
        }
        return SaidMessage.Picture(id: file, width: found.width, height: found.height)
    }

    /// A delivery can be spoken of as long as both see it.
    private func check(_ delivery: ID, in conversation: ID, _ call: Call) async throws {
        guard let pair = try await call.run(FindPair(account: call.caller.account, conversation: conversation)).first
        else { throw Problem.notFound }
        guard try await call.isSeen(delivery, by: pair.store, and: pair.courier) else {
            throw Problem(
                .unprocessable, "validation_failed",
                fields: [Problem.WrongField("delivery_id", "unknown_delivery")])
        }
    }

    /// Whether what was said then has not been taken back.
    private func isStillSaid(_ call: Call, _ told: JSON) async throws -> Bool {
        guard let id = told.toldID else { return false }
        return try await call.run(IsSaid(conversation: try call.request.parameter("id"), id: id)).first == true
    }

    private func read(_ call: Call, _ form: ReadForm) async throws -> Response {
        let id: ID = try call.request.parameter("id")
        let read = ReadConversation(conversation: id, account: call.caller.account, upTo: form.upTo)
        guard try await call.run(read).first == true else { throw Problem.notFound }
        return try await answer(call, id)
    }

    private func takeBack(_ call: Call) async throws -> Response {
        let (conversation, id): (ID, ID) = (
            try call.request.parameter("id"), try call.request.parameter("message_id")
        )
        let delete = DeleteMessage(conversation: conversation, account: call.caller.account, id: id)
        let side = call.caller.kind
        let outcome = try await call.runner.together { runner in
            let deleted = try await runner.run(delete).first
            if deleted?.outcome == .done, deleted?.hadNotice == true {
                try await MessageNotice.tellAgain(of: conversation, by: side, runner)
            }
            return deleted?.outcome
        }
        switch outcome {
        case .done: return Response(.noContent)
        case .notFound, nil: throw Problem.notFound
        case .notItsAuthor: throw Problem.notItsAuthor
        case .tooLate: throw Problem.tooLate
        }
    }
}

extension Problem {
    static let partnershipEnded = Problem(.forbidden, "partnership_ended")
    static let blockedByCourier = Problem(.forbidden, "blocked_by_courier")
    static let notItsAuthor = Problem(.forbidden, "forbidden", wording: "not_its_author")
    static let tooLate = Problem(.conflict, "too_late", wording: "too_late_to_take_back")
}
