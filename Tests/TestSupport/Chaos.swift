import Foundation

/// How long what is random goes on: as long as it takes to see what is rare with `KURIR_TEST_CHAOS` (`make chaos`), and else as long as it takes to see
/// what is usual.
public enum Chaos {
    private static let isLong = ProcessInfo.processInfo.environment["KURIR_TEST_CHAOS"] != nil

    /// One of two amounts.
    public static func of<Amount>(_ usual: Amount, atLength long: Amount) -> Amount { isLong ? long : usual }
}
