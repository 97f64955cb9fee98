/// What is reported of the road.
enum RoadKind: String, CaseIterable, Sendable {
    case radarStationary = "radar_stationary"
    case radarAnnounced = "radar_announced"
    case borderCrossing = "border_crossing"
    case roadworks, closure, congestion
    case goodsVehicleBan = "goods_vehicle_ban"
    case rockfall, accident
    case blackIce = "black_ice"
    case danger

    /// Where the law forbids to tell of speed traps, these are off.
    var isRadar: Bool {
        switch self {
        case .radarStationary, .radarAnnounced: true
        default: false
        }
    }

    /// The kinds that there are on a server.
    static func all(withRadars: Bool) -> [RoadKind] { allCases.filter { withRadars || !$0.isRadar } }
}

/// What kind of road it is.
enum RoadType: String, CaseIterable, Sendable {
    case motorway
    case borderCrossing = "border_crossing"
    case city, main, regional
}
