/// The database's schema: the files of `migrations/` and `functions/`, embedded in the binary.
public enum Schema {
    /// Every migration in order, with its file's name. A file that has landed is never edited.
    public static let migrations: [(file: String, sql: String)] = [
        ("0001_foundation.sql", text(PackageResources._001_foundation_sql)),
        ("0002_accounts.sql", text(PackageResources._002_accounts_sql)),
        ("0003_requests.sql", text(PackageResources._003_requests_sql)),
        ("0004_partners.sql", text(PackageResources._004_partners_sql)),
        ("0005_outbox.sql", text(PackageResources._005_outbox_sql)),
        ("0006_deliveries.sql", text(PackageResources._006_deliveries_sql)),
        ("0007_gateways.sql", text(PackageResources._007_gateways_sql)),
        ("0008_queue.sql", text(PackageResources._008_queue_sql)),
        ("0009_stats.sql", text(PackageResources._009_stats_sql)),
        ("0010_recipients.sql", text(PackageResources._010_recipients_sql)),
        ("0011_feed.sql", text(PackageResources._011_feed_sql)),
        ("0012_withdrawing.sql", text(PackageResources._012_withdrawing_sql)),
        ("0013_words.sql", text(PackageResources._013_words_sql)),
        ("0014_functions.sql", text(PackageResources._014_functions_sql)),
        ("0015_kept.sql", text(PackageResources._015_kept_sql)),
        ("0016_identity.sql", text(PackageResources._016_identity_sql)),
        ("0017_cost.sql", text(PackageResources._017_cost_sql)),
        ("0018_lanes.sql", text(PackageResources._018_lanes_sql)),
        ("0019_reach.sql", text(PackageResources._019_reach_sql)),
        ("0020_erasing.sql", text(PackageResources._020_erasing_sql)),
        ("0021_core.sql", text(PackageResources._021_core_sql)),
        ("0022_steps.sql", text(PackageResources._022_steps_sql)),
        ("0023_files.sql", text(PackageResources._023_files_sql)),
        ("0024_positions.sql", text(PackageResources._024_positions_sql)),
        ("0025_places.sql", text(PackageResources._025_places_sql)),
        ("0026_tracking.sql", text(PackageResources._026_tracking_sql)),
        ("0027_open_places.sql", text(PackageResources._027_open_places_sql)),
        ("0028_talk.sql", text(PackageResources._028_talk_sql)),
        ("0029_road.sql", text(PackageResources._029_road_sql)),
        ("0030_bulletin.sql", text(PackageResources._030_bulletin_sql)),
        ("0031_papers.sql", text(PackageResources._031_papers_sql)),
        ("0032_redeemed.sql", text(PackageResources._032_redeemed_sql)),
        ("0033_since.sql", text(PackageResources._033_since_sql)),
        ("0034_packed_areas.sql", text(PackageResources._034_packed_areas_sql)),
        ("0035_seats.sql", text(PackageResources._035_seats_sql)),
        ("0036_seen_less.sql", text(PackageResources._036_seen_less_sql)),
        ("0037_short_checks.sql", text(PackageResources._037_short_checks_sql)),
    ]

    /// Count it up with every change of the functions, so that an older node that starts again leaves them alone.
    public static let functionsRevision = 16

    /// The functions as they must be after all migrations.
    public static let functions: [(file: String, sql: String)] = [
        ("functions/accounts.sql", text(PackageResources.accounts_sql)),
        ("functions/areas.sql", text(PackageResources.areas_sql)),
        ("functions/backfills.sql", text(PackageResources.backfills_sql)),
        ("functions/basics.sql", text(PackageResources.basics_sql)),
        ("functions/budgets.sql", text(PackageResources.budgets_sql)),
        ("functions/bulletin.sql", text(PackageResources.bulletin_sql)),
        ("functions/deliveries.sql", text(PackageResources.deliveries_sql)),
        ("functions/erasing.sql", text(PackageResources.erasing_sql)),
        ("functions/feed.sql", text(PackageResources.feed_sql)),
        ("functions/files.sql", text(PackageResources.files_sql)),
        ("functions/gateways.sql", text(PackageResources.gateways_sql)),
        ("functions/identity.sql", text(PackageResources.identity_sql)),
        ("functions/keeping.sql", text(PackageResources.keeping_sql)),
        ("functions/places.sql", text(PackageResources.places_sql)),
        ("functions/positions.sql", text(PackageResources.positions_sql)),
        ("functions/queue.sql", text(PackageResources.queue_sql)),
        ("functions/reliability.sql", text(PackageResources.reliability_sql)),
        ("functions/road.sql", text(PackageResources.road_sql)),
        ("functions/seats.sql", text(PackageResources.seats_sql)),
        ("functions/talk.sql", text(PackageResources.talk_sql)),
        ("functions/telling.sql", text(PackageResources.telling_sql)),
        ("functions/throttles.sql", text(PackageResources.throttles_sql)),
        ("functions/tracking.sql", text(PackageResources.tracking_sql)),
        ("functions/withdrawing.sql", text(PackageResources.withdrawing_sql)),
        ("functions/words.sql", text(PackageResources.words_sql)),
    ]

    private static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
