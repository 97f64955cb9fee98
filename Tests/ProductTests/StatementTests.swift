import Foundation
import Postgres
import TestSupport
import Testing

@testable import API
@testable import Bulletin
@testable import Deliveries
@testable import Feed
@testable import Figures
@testable import Observability
@testable import Outbox
@testable import Papers
@testable import People
@testable import Places
@testable import Road
@testable import Weather
@testable import Product
@testable import Talk

/// Every statement of the rooms, and of the figures.
@Suite struct StatementTests {
    static let all: [any Statement.Type] = [
        // API
        FindSession.self,
        TouchSession.self,
        TakeDue.self,
        PutOff.self,
        SetDeadlines.self,
        FindGatewayKey.self,
        TouchGatewayKey.self,
        LockIdempotencyKey.self,
        FindFirstAnswer.self, AreErased.self,
        KeepFirstAnswer.self,
        ForgetFirstAnswer.self,
        SizesOfTables.self,
        NoteFailure.self, NoteEvent.self,
        RenewAudit.self,
        TakeFromBuckets.self,
        ClearBuckets.self,
        LengthenWait.self,
        TakeShare.self,

        // Outbox
        ClaimMessages.self,
        AckMessages.self,
        NackMessages.self,
        ExtendMessages.self,
        ReadOutboxStats.self,
        ListDead.self,
        RetryDead.self,
        RenewMessagePartitions.self,
        BuryOutdated.self,
        ForgetVoidCodes.self,
        FoldMessageCounts.self,
        FindReadyChannels.self,

        // Feed
        ReadFeed<FeedDelivery>.self,
        FindFeedEnd.self,
        FindFormerPlace.self,
        NumberEvents.self,
        RenewEventPartitions.self,
        ForgetFormerCursors.self,

        // API, of seats
        TakeSeat.self, LeaveSeat.self, RestoreSeats.self,

        // People
        FindAccount.self,
        FindPassword.self,
        SetPassword.self,
        EndSessions.self,
        FindHolder.self,
        InsertReset.self,
        TryReset.self,
        GiveTryBack.self,
        TryResets.self,
        UseReset.self,
        InsertConfirmation.self,
        FindUnproven.self,
        TryConfirmation.self, UseConfirmation.self,
        ProvePlace.self,
        DropConfirmation.self,
        IsProven.self,
        KeepFormerPlace.self,
        IsUndoable.self,
        TakeFormerPlace.self,
        VoidSince.self,
        TellUndone.self,
        LiveChannels.self, IsSendingLive.self,
        InsertStore.self,
        InsertCourier.self,
        UpdateAccount.self,
        UpdateStore.self,
        SetDuty.self,
        UpdateCourier.self,
        ListCancellations.self,
        FindCancellation.self,
        ContestCancellation.self,
        ExcuseCancellation.self,
        CourierExists.self,
        ListCouriers<ByName>.self,
        ListCouriers<ByReliability>.self,
        ListPartners.self,
        RankPartners.self,
        WalkCouriers<ByName>.self,
        WalkCouriers<ByReliability>.self,
        FindCouriersByWord<ByName>.self,
        FindCouriersByWord<ByReliability>.self,
        ClaimDevice.self,
        DropDevice.self,
        MakeInvite.self,
        RevokeInvite.self,
        ListSentInvites.self,
        ListReceivedInvites.self,
        ListStores.self,
        HoldPartnership.self,
        CarriesSomething.self,
        ArePartners.self,
        EndPartnership.self,
        FindInviteByCode.self,
        FindInviteByID.self,
        RedeemInvite.self,
        FindStoreName.self,
        NewSession.InsertSession.self,
        FindCredentials.self,
        ListSessions.self,
        EndSession.self,
        ListSecurity.self,
        IsBlocked.self, HoldAccount.self, ShowPicture.self,

        // Deliveries
        CommitCreations<PassOver>.self,
        CommitCreations<WaitFor>.self,
        CommitSteps<PassOver>.self,
        CommitSteps<WaitFor>.self,
        ListHistory.self,
        FindDueTurns.self,
        FindOrder.self,
        FindStoreWithPartners.self,
        FindStrangers.self,
        WalkDeliveries<SearchOfStore>.self,
        WalkDeliveries<SearchOfCourier>.self,
        FindDeliveriesByWord<SearchOfStore>.self,
        FindDeliveriesByWord<SearchOfCourier>.self,
        TakeEnding.self,
        KeepEnding.self,
        ListNotices.self,
        IsAnythingDue.self,
        TakeUnaccepted.self,
        SetRoute.self,
        TakeLate.self,
        TakeOfferTexts.self,
        TellOverdue.self, BeBrief.self,
        EndLeaving.self,
        FindStandings.self,
        ListOfStore.self,
        ListOfCourier.self,
        FindDelivery.self, FindForStores.self, FindForAnybody.self, FindWithSteps.self,
        KeepFile.self, FindFile.self, KeepPiece.self, FindPiece.self, FindLooseFiles.self, TakeLeavingFiles.self,
        NoteArrival.self, FindRemovals.self, ForgetRemoval.self,
        RenewFilePartitions.self, DropLooseFiles.self,
        FindProof.self, FindProofKeys.self, AddProofKey.self,
        BlockAccount.self,
        UnblockAccount.self,
        SetErasure.self,
        TakeErasure<PassOver>.self,
        TakeErasure<WaitFor>.self,
        BeginErasing.self,
        ErasePiece.self,
        StepBack.self,
        StepForward.self,
        FindCarried.self,
        FindOpen.self,
        ForgetRecipients.self,
        ListHistories.self, FindTracking.self, CountDevices.self, TakePinTry.self, ListEarnings.self,
        ExportPage<ExportedAccount>.self,
        ExportPage<ExportedSessions>.self,
        ExportPage<ExportedDevices>.self,
        ExportPage<ExportedAddresses>.self,
        ExportPage<ExportedInvites>.self,
        ExportPage<ExportedPartners>.self,
        ExportPage<ExportedCancellations>.self, ExportPage<ExportedPosition>.self, ExportPage<ExportedTrail>.self,
        ExportPage<ExportedCredentials>.self,
        ExportPage<ExportedPlaces>.self, ExportPage<ExportedEarnings>.self,
        ExportPage<ExportedConversations>.self, ExportPage<ExportedConversationMessages>.self,
        ExportPage<ExportedQuickAnswers>.self,
        ExportPage<ExportedRoads>.self, ExportPage<ExportedRoadVotes>.self,
        ExportPage<ExportedBulletins>.self,
        ExportPage<ExportedEvents>.self,
        ExportPage<ExportedMessages>.self,
        ExportPage<ExportedSecurity>.self,

        // Papers
        ListCredentials.self, FindCredential.self, FindSameCredential.self, AddCredential.self, DeleteCredential.self,
        ShareCredential.self, SharesWith.self, ListShares.self, ListSharedPapers.self, FindWants.self,

        // Places
        FindTracked.self, FindEnd.self, OpenTracking.self, EndTracking.self, KeepWish.self,
        KeepRating.self,
        TakeFixes.self, ListPositions.self, FindSeen.self, RenewTrailPartitions.self, ForgetPositions.self,
        FindStops.self, FindWay.self, KeepWay.self,
        AddPlace.self,
        ChangePlace.self,
        DeletePlace.self, IsPlaceKept.self,
        OrderPlaces.self,
        SelectPlace.self,
        ListPlaces.self,
        FindSelectedPlace.self,
        FindPlacesByWord.self,
        WalkRecipients.self,
        FindRecipientsByWord.self,

        // Talk
        BeginConversation.self, FindConversation.self, ListConversations.self, SearchConversations.self,
        CountUnread.self,
        ListMessages.self, IsSaid.self, ReadConversation.self, DeleteMessage.self, ChangeConversation.self,
        FindLooseFile.self, FindPair.self, RenewConversationPartitions.self, FindQuickAnswers.self,
        KeepQuickAnswers.self, HoldConversations<PassOverHeld>.self, HoldConversations<WaitForHeld>.self,
        FindTakenKeys.self, WriteMessages.self, FindUntold.self, TellMessage.self, FindNews.self,
        // Road
        AddRoadReport.self, VoteOnRoad.self, FindRoadReport.self, ListRoadReports.self, ListRoadCrowd.self,
        FindRoadsNear.self,
        FindRoadHearers.self, TidyRoads.self,

        // Weather
        FindWeather.self, ClaimWeather.self, KeepWeather.self, NoteNoWeather.self, ForgetWeather.self, FindPlaceOf.self,

        // Bulletin
        ListBulletins.self, FindBulletin.self, HoldAuthor.self, PostBulletin.self,
        RemoveBulletin.self, DropOldBulletins.self,

        // Figures
        FindStoreDay.self, ReadAreas.self, FoldAreas.self, FindDay.self, ReadOwnStats.self, StatsSums.self,
        StatsDays.self,
        StatsCouriers.self,

        // Product
        NobodyIsThere.self,
        RegisterDemoPeople.self,
        FindInviter.self,
        RemoveOutdated.self,
        SchemaState.self, SetTrust.self, KeepServerKey.self,

        // Observability
        ReadFeedFigures.self,
        ReadOutboxFigures.self,
        ReadBudgetFigures.self, ReadPositionFigures.self,
    ]

    /// The statements whose parameters could have several types.
    private static let types = [
        "EndPartnership": "uuid, uuid, jsonb", "MakeInvite": "uuid, uuid, text, uuid, bytea, text, jsonb, text",
        "RedeemInvite": "uuid, uuid, jsonb", "ListCancellations": "uuid, uuid, integer",
        "ListReceivedInvites": "uuid, uuid, integer", "ListSentInvites": "uuid, uuid, integer",
        "ListSessions": "uuid, uuid, integer", "ListSecurity": "uuid, uuid, integer",
        "ListStores": "uuid, text, uuid, integer",
        "FindStandings": "uuid, uuid, text, uuid", "ListCouriers": "uuid, boolean, text[], integer",
        "ListPartners": "uuid, boolean, text[], integer", "RankPartners": "uuid, boolean, text[], integer",
        "WalkCouriers": "uuid, boolean, text[], integer, text, integer",
        "FindCouriersByWord": "uuid, boolean, text[], integer, text", "ContestCancellation": "uuid, text, jsonb",
        "ExcuseCancellation": "uuid, jsonb", "PostBulletin": "uuid, text, uuid, text, text, text, boolean, jsonb",
        "ListBulletins": "uuid, timestamptz, uuid, integer", "FindCancellation": "uuid, uuid",
        "RegisterDemoPeople":
            "text, timestamptz, uuid[], text[], text[], text[], text[], text[], uuid[], text[], text[], text[], "
            + "uuid[], uuid[], double precision[], double precision[]",
    ]

    /// The database accepts each of them as it is: everything that it names exists, with the type that is meant.
    @Test(.database) func `the database knows what each statement names`() throws {
        let connection = try TestDatabase.current.connect()
        for statement in Self.all {
            #expect(throws: Never.self, "\(statement)") {
                let types = Self.types[String("\(statement)".prefix { $0 != "<" })].map { "(\($0))" } ?? ""
                _ = try connection.query("PREPARE statement\(types) AS \(statement.sql)")
                _ = try connection.query("DEALLOCATE statement")
            }
        }
    }

    @Test func `no statement is missing here`() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources").standardized
        var found: [String] = []
        // The layer below has its own, which name nothing of the schema.
        let others: Set = ["Postgres"]
        for target in try FileManager.default.contentsOfDirectory(atPath: sources.path()) where !others.contains(target)
        {
            let directory = sources.appending(path: target)
            let files =
                FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil)?
                .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" } ?? []
            for file in files {
                let text = try String(contentsOf: file, encoding: .utf8)
                found.append(
                    contentsOf: text.matches(of: #/struct (\w+)(<[^>]*>)?: .*\bStatement\b/#).map { String($0.1) })
            }
        }
        #expect(Set(found) == Set(Self.all.map { String("\($0)".prefix { $0 != "<" }) }))
        // Of two with one name only one would be prepared.
        #expect(found.count == Set(found).count, "\(Dictionary(grouping: found) { $0 }.filter { $1.count > 1 }.keys)")
    }
}
