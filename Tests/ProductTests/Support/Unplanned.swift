/// The statements of which ``PlanTests`` does not look at the plan, and why.
enum Unplanned {
    static let names = Set(
        [
            // Nobody waits for them: they tidy up, begin a day or a week, or take leave, some rows at a time.
            "PutOff", "SetDeadlines", "RenewAudit", "ClearBuckets", "RenewMessagePartitions", "BuryOutdated",
            "ForgetVoidCodes",
            "FoldMessageCounts", "RenewEventPartitions", "ForgetFormerCursors", "TakeEnding", "KeepEnding",
            "EndLeaving",
            "FindStandings", "TakeLeavingFiles", "NoteArrival", "FindRemovals", "ForgetRemoval", "RenewFilePartitions",
            "RenewTrailPartitions", "ForgetPositions", "RenewConversationPartitions", "TidyRoads", "ForgetWeather",
            "DropOldBulletins", "FoldAreas", "FindDay", "RemoveOutdated", "TellOverdue", "RestoreSeats",
            // They are of the end of an account, which goes in pieces.
            "BlockAccount", "UnblockAccount", "SetErasure", "TakeErasure<WaitFor>", "BeginErasing", "ErasePiece",
            "StepBack",
            "StepForward",
            // They are figures, which go through what they count, and have connections and times of their own.
            "ReadOwnStats", "StatsSums", "StatsDays", "StatsCouriers", "ReadFeedFigures", "ReadOutboxFigures",
            "ReadBudgetFigures", "ReadPositionFigures", "ReadOutboxStats", "SizesOfTables",
            // They are planned with what uses the same functions: a gateway's turn, a message of a conversation.
            "ClaimMessages", "AckMessages", "NackMessages", "ExtendMessages", "TellMessage",
            "HoldConversations<PassOverHeld>",
            "HoldConversations<WaitForHeld>",
            // They write a row by its key, with what follows from that.
            "KeepFirstAnswer", "NoteFailure", "NoteEvent", "TakeShare", "KeepFormerPlace", "TellUndone", "InsertStore",
            "InsertCourier",
            "UpdateAccount", "UpdateStore", "UpdateCourier", "ClaimDevice", "InsertSession", "EndSession", "KeepFile",
            "KeepPiece", "KeepWay", "KeepWeather",
            // It looks at few rows by their key, and it sets what holds for its transaction.
            "AreErased", "BeBrief",
            // They are for whoever runs it, for its start, or of tables that stay small.
            "ListDead", "RetryDead", "LiveChannels", "FindProofKeys", "AddProofKey", "NobodyIsThere",
            "RegisterDemoPeople",
            "SchemaState", "SetTrust", "KeepServerKey",
        ])
}
