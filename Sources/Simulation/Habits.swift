/// How a courier behaves: chances of a hundred, each time of looking at the jobs.
struct Habits: Sendable {
    /// Minutes between two looks.
    var pause = 6...20
    /// What becomes of an offer that is looked at.
    var accepts = 30, declines = 4
    /// What becomes of a parcel in hand.
    var delivers = 30, givesBack = 2
    /// Says in which order it goes.
    var plans = 10
    /// Stays away for days, with the parcels in hand.
    var vanishes = 0
    /// Loses the network while an answer is on its way, or before that.
    var losesNetwork = 3
    /// Taps twice.
    var tapsTwice = 1
    /// Wants what somebody else has just taken, or takes it together with somebody.
    var jostles = 3

    /// Half of them are reliable.
    static let ofCouriers = [
        Habits(), late, Habits(), offline, Habits(), hasty, Habits(), fickle, Habits(), vanishing,
    ]

    private static let late = Habits(pause: 25...70, delivers: 20)
    private static let offline = Habits(losesNetwork: 30)
    private static let hasty = Habits(pause: 3...9, accepts: 60, declines: 1, tapsTwice: 30, jostles: 20)
    private static let fickle = Habits(declines: 25, givesBack: 20)
    private static let vanishing = Habits(vanishes: 4)
}
