/// A file of the pages that people use, embedded in the binary.
public struct WebFile: Sendable {
    /// The name by which the pages ask for it.
    public let name: String
    /// Its media type.
    public let type: String
    /// Its content.
    public let bytes: [UInt8]

    /// A file that is generated and not stored.
    public init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
        type =
            switch name.split(separator: ".").last {
            case "js": "text/javascript; charset=utf-8"
            case "css": "text/css; charset=utf-8"
            case "svg": "image/svg+xml"
            case "png": "image/png"
            case "webmanifest": "application/manifest+json"
            case "json": "application/json"
            default: "text/html; charset=utf-8"
            }
    }

    /// The page for stores.
    public static let dashboard = WebFile("dashboard.html", PackageResources.dashboard_html)
    /// The page for couriers.
    public static let courier = WebFile("courier.html", PackageResources.courier_html)
    /// The service worker, which keeps the courier's page available without a connection.
    public static let worker = WebFile("worker.js", PackageResources.worker_js).lean

    /// The files that the pages load.
    public static let assets = files.map(\.lean)

    private static let files = [
        WebFile("account.js", PackageResources.account_js),
        WebFile("appearance.js", PackageResources.appearance_js),
        WebFile("areas.js", PackageResources.areas_js),
        WebFile("arrived.js", PackageResources.arrived_js),
        WebFile("arriving.js", PackageResources.arriving_js),
        WebFile("ask.js", PackageResources.ask_js),
        WebFile("besidejobs.js", PackageResources.besidejobs_js),
        WebFile("board.js", PackageResources.board_js),
        WebFile("boardmap.js", PackageResources.boardmap_js),
        WebFile("boardrow.js", PackageResources.boardrow_js),
        WebFile("bubble.js", PackageResources.bubble_js),
        WebFile("camera.js", PackageResources.camera_js),
        WebFile("cancellations.js", PackageResources.cancellations_js),
        WebFile("chart.js", PackageResources.chart_js),
        WebFile("choose.js", PackageResources.choose_js),
        WebFile("chooser.js", PackageResources.chooser_js),
        WebFile("compared.js", PackageResources.compared_js),
        WebFile("complete.js", PackageResources.complete_js),
        WebFile("countries.js", PackageResources.countries_js),
        WebFile("courier.js", PackageResources.courier_js),
        WebFile("courier.webmanifest", PackageResources.courier_webmanifest),
        WebFile("dashboard.js", PackageResources.dashboard_js),
        WebFile("crew.js", PackageResources.crew_js),
        WebFile("day.js", PackageResources.day_js),
        WebFile("delivery.js", PackageResources.delivery_js),
        WebFile("details.js", PackageResources.details_js),
        WebFile("distance.js", PackageResources.distance_js),
        WebFile("docs.js", PackageResources.docs_js),
        WebFile("dom.js", PackageResources.dom_js),
        WebFile("due.js", PackageResources.due_js),
        WebFile("duty.js", PackageResources.duty_js),
        WebFile("earnings.js", PackageResources.earnings_js),
        WebFile("editor.js", PackageResources.editor_js),
        WebFile("element.js", PackageResources.element_js),
        WebFile("empty.js", PackageResources.empty_js),
        WebFile("face.js", PackageResources.face_js),
        WebFile("feed.js", PackageResources.feed_js),
        WebFile("figures.js", PackageResources.figures_js),
        WebFile("filters.js", PackageResources.filters_js),
        WebFile("foot.js", PackageResources.foot_js),
        WebFile("form.js", PackageResources.form_js),
        WebFile("found.js", PackageResources.found_js),
        WebFile("gone.js", PackageResources.gone_js),
        WebFile("guide.js", PackageResources.guide_js),
        WebFile("handing.js", PackageResources.handing_js),
        WebFile("icon.png", PackageResources.icon_png),
        WebFile("icon.svg", PackageResources.icon_svg),
        WebFile("icons.js", PackageResources.icons_js),
        WebFile("identity.js", PackageResources.identity_js),
        WebFile("inhand.js", PackageResources.inhand_js),
        WebFile("install.js", PackageResources.install_js),
        WebFile("invites.js", PackageResources.invites_js),
        WebFile("jobcard.js", PackageResources.jobcard_js),
        WebFile("jobs.js", PackageResources.jobs_js),
        WebFile("keeper.js", PackageResources.keeper_js),
        WebFile("keys.js", PackageResources.keys_js),
        WebFile("later.css", PackageResources.later_css),
        WebFile("later.js", PackageResources.later_js),
        WebFile("lists.js", PackageResources.lists_js),
        WebFile("livemap.js", PackageResources.livemap_js),
        WebFile("map.js", PackageResources.map_js),
        WebFile("mapview.js", PackageResources.mapview_js),
        WebFile("meant.js", PackageResources.meant_js),
        WebFile("messages.js", PackageResources.messages_js),
        WebFile("money.js", PackageResources.money_js),
        WebFile("moves.js", PackageResources.moves_js),
        WebFile("nearness.js", PackageResources.nearness_js),
        WebFile("news.js", PackageResources.news_js),
        WebFile("notices.js", PackageResources.notices_js),
        WebFile("offering.js", PackageResources.offering_js),
        WebFile("offersline.js", PackageResources.offersline_js),
        WebFile("outgoing.js", PackageResources.outgoing_js),
        WebFile("ownfigures.js", PackageResources.ownfigures_js),
        WebFile("papers.js", PackageResources.papers_js),
        WebFile("parcel.js", PackageResources.parcel_js),
        WebFile("partners.js", PackageResources.partners_js),
        WebFile("placefield.js", PackageResources.placefield_js),
        WebFile("places.js", PackageResources.places_js),
        WebFile("positions.js", PackageResources.positions_js),
        WebFile("pull.js", PackageResources.pull_js),
        WebFile("push.js", PackageResources.push_js),
        WebFile("quick.js", PackageResources.quick_js),
        WebFile("recipient.js", PackageResources.recipient_js),
        WebFile("ringing.js", PackageResources.ringing_js),
        WebFile("roadfilter.js", PackageResources.roadfilter_js),
        WebFile("roadkinds.js", PackageResources.roadkinds_js),
        WebFile("roadreport.js", PackageResources.roadreport_js),
        WebFile("roadrow.js", PackageResources.roadrow_js),
        WebFile("roads.js", PackageResources.roads_js),
        WebFile("route.js", PackageResources.route_js),
        WebFile("scan.js", PackageResources.scan_js),
        WebFile("scheme.js", PackageResources.scheme_js),
        WebFile("settings.js", PackageResources.settings_js),
        WebFile("sharing.js", PackageResources.sharing_js),
        WebFile("shelf.js", PackageResources.shelf_js),
        WebFile("shell.js", PackageResources.shell_js),
        WebFile("sky.js", PackageResources.sky_js),
        WebFile("slip.js", PackageResources.slip_js),
        WebFile("sound.js", PackageResources.sound_js),
        WebFile("start.css", PackageResources.start_css),
        WebFile("start.js", PackageResources.start_js),
        WebFile("steps.js", PackageResources.steps_js),
        WebFile("short.js", PackageResources.short_js),
        WebFile("stores.js", PackageResources.stores_js),
        WebFile("surroundings.js", PackageResources.surroundings_js),
        WebFile("stream.js", PackageResources.stream_js),
        WebFile("style.css", PackageResources.style_css),
        WebFile("tabs.js", PackageResources.tabs_js),
        WebFile("talkbeside.js", PackageResources.talkbeside_js),
        WebFile("talkwishes.js", PackageResources.talkwishes_js),
        WebFile("tally.js", PackageResources.tally_js),
        WebFile("talk.js", PackageResources.talk_js),
        WebFile("thread.js", PackageResources.thread_js),
        WebFile("track.js", PackageResources.track_js),
        WebFile("trackmap.js", PackageResources.trackmap_js),
        WebFile("underway.js", PackageResources.underway_js),
        WebFile("unread.js", PackageResources.unread_js),
        WebFile("warnings.js", PackageResources.warnings_js),
        WebFile("way.js", PackageResources.way_js),
        WebFile("welcome.js", PackageResources.welcome_js),
        WebFile("whereabouts.js", PackageResources.whereabouts_js),
        WebFile("words.js", PackageResources.words_js),
    ]
}
