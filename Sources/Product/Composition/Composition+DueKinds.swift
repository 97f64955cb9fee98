import API
import Bulletin
import Deliveries
import Feed
import Figures
import Outbox
import People
import Places
import Postgres
import Road
import Talk
import Weather

extension Composition {
    /// The work that recurs.
    static func dueKinds(_ settings: Settings) -> [DueKind] {
        kindsOfRetention(settings) + kindsOfTidying + (settings.pictures.map(kindsOfPictures) ?? [])
    }

    /// What is kept for days, as the settings say.
    private static func kindsOfRetention(_ settings: Settings) -> [DueKind] {
        // What messages tell of recipients is not kept for longer, either.
        let messageDays = Int32(min(settings.messageDays, settings.recipientDays))
        let eventDays = Int32(settings.eventDays)
        return [
            .recurring("event partitions", every: .seconds(60)) {
                try await $0.run(RenewEventPartitions(days: eventDays)).first == true
            },
            .recurring("former cursors", every: .seconds(60)) {
                try await $0.run(ForgetFormerCursors(days: eventDays)).first ?? 0 >= 1000
            },
            .recurring("message partitions", every: .seconds(60)) {
                try await $0.run(RenewMessagePartitions(days: messageDays))
                return false
            },
            .recurring("outdated messages", every: .seconds(60)) {
                try await $0.run(BuryOutdated(days: messageDays)).first ?? 0 >= 1000
            },
            .recurring("message counts", every: .seconds(60)) {
                try await $0.run(FoldMessageCounts())
                return false
            },
            .recurring("void codes", every: .seconds(60)) { try await $0.run(ForgetVoidCodes()).first ?? 0 >= 1000 },
            .recurring("picture partitions", every: .seconds(60)) {
                try await $0.run(RenewFilePartitions(days: Int32(settings.photoDays)))
                return false
            },
            .recurring("conversation partitions", every: .seconds(60)) {
                try await $0.run(RenewConversationPartitions(days: Int32(settings.conversationDays))).first == true
            },
            .recurring("trail partitions", every: .seconds(60)) {
                try await $0.run(RenewTrailPartitions(days: Int32(settings.trailDays)))
                return false
            },
        ]
    }

    private static var kindsOfTidying: [DueKind] {
        [
            .recurring("positions", every: .seconds(10)) {
                try await $0.run(ForgetPositions())
                return false
            },
            .recurring("roads", every: .seconds(10)) { try await $0.run(TidyRoads()).first == true },
            .recurring("weather", every: .seconds(60)) { try await $0.run(ForgetWeather()).first == true },
            .recurring("loose pictures", every: .seconds(60)) { try await $0.run(DropLooseFiles()).first ?? 0 >= 100 },
            .recurring("audit", every: .seconds(60)) { try await $0.run(RenewAudit()).first == true },
            .recurring("recipients", every: .seconds(60)) {
                try await $0.run(ForgetRecipients()).first ?? 0 >= 500
            },
            .recurring("erasures", every: .seconds(60)) { try await Departure.erase(in: $0) },
            .recurring("figures by area", every: .seconds(10)) { try await $0.run(FoldAreas()).first == true },
            .recurring("old bulletins", every: .seconds(60)) { try await $0.run(DropOldBulletins()).first ?? 0 >= 500 },
            .recurring("outdated rows", every: .seconds(60)) { try await $0.run(RemoveOutdated()).first == true },
        ]
    }

    private static func kindsOfPictures(_ store: any PictureStore) -> [DueKind] {
        let pictures = MovedPictures(to: store)
        return [
            .recurring("pictures to their store", every: .seconds(5)) { try await pictures.move(from: $0) },
            .recurring("pictures from their store", every: .seconds(60)) { try await pictures.remove(for: $0) },
        ]
    }
}
