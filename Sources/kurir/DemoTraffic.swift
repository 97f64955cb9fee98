import Domain
import EventLoop
import Glibc
import Simulation

/// The story of a demo's people goes on, over the API like any client.
///
/// They decide by what the server shows, so that they work with whoever tries the demo, too. One courier is left to that
/// visitor, and one store sees to it that there is always something to accept.
enum DemoTraffic {
    /// A day takes twenty minutes.
    private static let speed = 40
    /// There is more to see than on most days.
    private static let trade = 200
    /// Whoever opens a store's page finds it at work: the first morning passes at once.
    private static let noon = 12 * 60 * 60
    /// How long a visitor has to sign in and to allow notifications, and how often there is something new after that.
    private static let pause: UInt32 = 60

    /// Begins, on threads that end with the process.
    static func begin(at address: String, _ cast: Cast, seed: UInt64) throws {
        let visitors = Cast.visitors
        _ = try Thread(name: "demo") {
            var stage = ServerStage(StoryServer("http://\(address)"), cast)
            var story = Story(of: cast, without: visitors.courier, trade: trade, Chance(seed: seed))
            var pace = Pace(speed: speed)
            while true {
                if story.next > noon { pace.wait(until: story.next) }
                // Whoever tries the demo may have changed a password, say. The others go on.
                try? story.goOn(&stage)
            }
        }
        _ = try Thread(name: "riders") {
            var stage = ServerStage(StoryServer("http://\(address)"), cast)
            var riders = cast.couriers.indices.filter { $0 != visitors.courier }.map { DemoRider($0, of: cast) }
            while true {
                for number in riders.indices { try? riders[number].ride(&stage) }
                usleep(DemoRider.pause)
            }
        }
        _ = try Thread(name: "talk") {
            var talk = DemoTalk(ServerStage(StoryServer("http://\(address)"), cast), cast)
            talk.goOn()
        }
        _ = try Thread(name: "visitor") {
            var stage = ServerStage(StoryServer("http://\(address)"), cast)
            // What is offered is there at once.
            var story = Story(of: cast, after: 1_000_000_000, hasTurns: false, Chance(seed: seed + 1))
            while true {
                sleep(pause)
                try? story.offer(by: visitors.store, to: visitors.courier, &stage)
            }
        }
    }
}
