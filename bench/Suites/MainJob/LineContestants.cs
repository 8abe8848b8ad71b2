namespace Raceway.Suites.MainJob;

/// <summary>The contestants of the main job.</summary>
public static class LineContestants
{
    /// <summary>The default capacity of rings and channels, in lines.</summary>
    public const int DefaultCapacity = 16_384;

    /// <summary>The row of the default settings.</summary>
    public const string DefaultName = "raceway/default";

    /// <summary>All contestants of a run, in the order of the table.</summary>
    /// <param name="hashed">Whether lines are hashed: another item, and one stage more.</param>
    /// <param name="capacity">Lines that each ring or channel holds.</param>
    public static IReadOnlyList<LineContestant> All(bool hashed, int capacity = DefaultCapacity) =>
        hashed ? Of<HashedLine>(capacity) : Of<Line>(capacity);

    private static IReadOnlyList<LineContestant> Of<TItem>(int capacity)
        where TItem : struct, ILineItem<TItem> =>
    [
        .. Settings.Select(setting => new RacewayLines<TItem>(NameOf(setting), setting, capacity)),
        new RacewayLines<TItem>(
            "raceway/default-publish-1", s_default with { Publishing = "one by one" }, capacity, group: 1),
        .. TItem.Hashed ? [
            new RacewayLines<TItem>("raceway/default-hash-data", s_default with { Hashing = LineSetting.ByHashData }, capacity),
            new OneThreadBatches<TItem>(),
            new ThreadPerCoreBatches<TItem>(),
        ] : Array.Empty<LineContestant>(),
        new OneThreadLines<TItem>(),
        new ChannelLines<TItem>(capacity),
        new ChannelBatchedLines<TItem>(capacity),
    ];

    /// <summary>The default settings.</summary>
    private static readonly LineSetting s_default = new("batch", "auto", "default");

    // A thread a stage, asleep when nothing comes.
    private static readonly LineSetting s_threads = new("batch", "shared-ring", "park");

    // Every dispatch under both plans and the waits that differ most; the other waits once, in their best company.
    private static IEnumerable<LineSetting> Settings =>
    [
        s_default,
        .. from dispatch in new[] { "single", "each" } select s_default with { Dispatch = dispatch },
        .. from plan in new[] { "shared-ring", "fused" }
           from wait in new[] { "park", "adaptive", "busy-spin" }
           from dispatch in new[] { "single", "each", "batch" }
           where plan == "shared-ring" || wait == "park"
           let setting = new LineSetting(dispatch, plan, wait)
           select setting,
        .. from wait in new[] { "yield", "timed-park", "async" } select s_threads with { Wait = wait },
    ];

    private static string NameOf(LineSetting setting) =>
        setting == s_default ? DefaultName : $"raceway/{setting.Dispatch}-{setting.Plan}-{setting.Wait}";
}
