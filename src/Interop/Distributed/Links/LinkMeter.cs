using System.Diagnostics.Metrics;

namespace Raceway.Interop.Distributed;

/// <summary>Counts what links must not do silently. Over all links of the process; a tag has the link's name.</summary>
internal static class LinkMeter
{
    public const string Name = "Raceway.Links";

    private static readonly Meter s_meter = new(Name);

    private static readonly Counter<long> s_parked = s_meter.CreateCounter<long>(
        "raceway.link.parked", "{frame}", "Frames that were put aside, by reason.");

    private static readonly Counter<long> s_gaps = s_meter.CreateCounter<long>(
        "raceway.link.gaps", "{gap}", "Frames that came without those before them.");

    public static void Parked(string link, FrameError reason) => s_parked.Add(1, new("link", link), new("reason", $"{reason}"));

    public static void Gap(string link) => s_gaps.Add(1, new KeyValuePair<string, object?>("link", link));
}
