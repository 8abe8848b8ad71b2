using Raceway.Measuring;
using Raceway.Suites.RingSuite;

namespace Raceway.Analysis.SharingStudy;

/// <summary>What is said of false sharing, and checked by every run of the study.</summary>
/// <remarks>
/// Of two threads on one core (near) some do not hold: no line moves there. The check answers for near and far rounds apart.
/// </remarks>
public static class SharingClaims
{
    private const double NoAlarm = 1.25;

    private static readonly string s_shared = SharingCases.NameOf(2, sizeof(long));
    private static readonly string s_padded = SharingCases.NameOf(2, 128);
    private static readonly string s_farthest = SharingCases.NameOf(2, SharingCases.Farthest);

    /// <summary>All claims.</summary>
    public static IReadOnlyList<Claim> All { get; } =
    [
        Cost("S1", "atomic increments: padded against a shared line", SharingCases.Locked, s_padded, s_shared, 0.67),
        Cost("S2", "loads beside a writer: padded against a shared line", SharingCases.Read, s_padded, s_shared, 0.67),
        Cost("S3a", "no false alarm, increments: 128 bytes apart against 192", SharingCases.Locked, s_padded, s_farthest, NoAlarm),
        Cost("S3b", "no false alarm, loads: 128 bytes apart against 192", SharingCases.Read, s_padded, s_farthest, NoAlarm),
        Cost(
            "S4", "one thread pays nothing for neighbours: 8 bytes apart against 192", SharingCases.Locked,
            SharingCases.NameOf(1, sizeof(long)), SharingCases.NameOf(1, SharingCases.Farthest), 1.25),
        new()
        {
            Number = "S5", Text = "the ring that spins: padded against packed cells", Case = RingPaddings.OneToOne,
            Ours = RingPaddings.BusySpin, Peers = [RingPaddings.BusySpin + RingPaddings.Packed], Bound = 1,
        },
    ];

    private static Claim Cost(string number, string text, string @case, string ours, string peer, double bound) => new()
    {
        Number = number, Text = text, Case = @case, Ours = ours, Peers = [peer], Metric = "overhead", Bound = bound,
    };
}
