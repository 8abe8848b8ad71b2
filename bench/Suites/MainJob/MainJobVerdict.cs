using System.Globalization;
using Raceway.Measuring;

namespace Raceway.Suites.MainJob;

/// <summary>Says in one sentence what the table shows, whichever way it goes.</summary>
public static class MainJobVerdict
{
    private static readonly string[] s_peers = ["channel", "channel-batched"];

    /// <summary>The sentence.</summary>
    /// <remarks>
    /// Ratios are of rounds that ran next to each other, with the 95 % interval of their median. Batch is compared with
    /// single where both have the same plan and waiting. Where the default was measured it speaks for us, as the one row that
    /// is not chosen after the fact; otherwise the fastest does.
    /// </remarks>
    public static string Of(MainJobTable table)
    {
        MainJobEntry[] wrong = [.. table.Entries.Where(static one => one.Failure is null && one.Rate is not null && !one.Verified)];
        if (wrong.Length > 0)
        {
            return $"The table shows nothing yet: {string.Join(", ", wrong.Select(static one => one.Name))} gave a wrong result.";
        }

        MainJobEntry? byDefault = table.Entries.FirstOrDefault(
            static one => one.Name == LineContestants.DefaultName && one.Rate is not null);
        MainJobEntry? best = byDefault ?? Fastest(table.Entries.Where(static one => one.Setting is not null));
        (MainJobEntry Batch, MainJobEntry Single)? pair = FastestPair(table);
        if (best is null && pair is null)
        {
            return Peers(table);
        }

        var parts = new List<string>();
        if (pair is { } both && table.Throughput.Ratio(both.Batch.Name, both.Single.Name) is { } gain)
        {
            LineSetting setting = both.Batch.Setting!;
            parts.Add($"for the same stages, plan ({setting.Plan}) and waiting ({setting.Wait}), batch dispatch is "
                + $"{RatioText.Compared(gain, "single dispatch")} ({Rate(both.Batch)} against {Rate(both.Single)})");
        }

        string[] peers =
        [
            .. s_peers
                .Select(peer => (peer, Ratio: table.Throughput.Ratio(best!.Name, peer)))
                .Where(static one => one.Ratio is not null)
                .Select(static one => RatioText.Compared(one.Ratio!.Value, one.peer)),
        ];
        if (peers.Length > 0)
        {
            string ours = byDefault is null ? $"the fastest of ours, {best!.Name}," : "the default";
            parts.Add($"{ours} is {string.Join(" and ", peers)}");
        }

        if (parts.Count == 0)
        {
            return "Too little was measured to compare anything.";
        }

        string sentence = string.Join("; ", parts);
        return $"{char.ToUpperInvariant(sentence[0])}{sentence[1..]}.";
    }

    private static MainJobEntry? Fastest(IEnumerable<MainJobEntry> entries) =>
        entries.Where(static one => one.Rate is not null).MaxBy(static one => one.Rate!.Value.Median);

    private static (MainJobEntry Batch, MainJobEntry Single)? FastestPair(MainJobTable table)
    {
        MainJobEntry[] measured = [.. table.Entries.Where(static one => one.Rate is not null && one.Setting is not null)];
        var pairs =
            from batch in measured
            from single in measured
            where batch.Setting!.Dispatch == "batch" && batch.Setting with { Dispatch = "single" } == single.Setting
            orderby batch.Name == LineContestants.DefaultName descending, batch.Rate!.Value.Median descending
            select ((MainJobEntry, MainJobEntry)?)(batch, single);
        return pairs.FirstOrDefault();
    }

    private static string Peers(MainJobTable table) =>
        table.Throughput.Ratio("channel-batched", "channel") is { } ratio
            ? $"Passing arrays, channel-batched is {RatioText.Compared(ratio, "channel")}."
            : "Too little was measured to compare anything.";

    private static string Rate(MainJobEntry entry) =>
        string.Create(CultureInfo.InvariantCulture, $"{entry.Rate!.Value.Median / 1e6:0.0} M lines/s");
}
