using System.Globalization;
using Raceway.Rings;

namespace Raceway.Analysis.Tuning;

/// <summary>The choices there are: the values of every knob, those to begin with, random ones, and the neighbours of one.</summary>
public sealed class KnobSpace
{
    public const string Free = "free", Apart = "apart", Together = "together";

    private static readonly (string Knob, string[] Values)[] s_knobs =
    [
        (Knobs.Plan, [.. Knobs.Plans]),
        (Knobs.Dispatch, ["batch", "each", "single"]),
        (Knobs.Batch, ["16", "64", "256", "1024", "4096"]),
        (Knobs.Min, ["1", "16", "64"]),
        (Knobs.Age, ["50", "500"]),
        (Knobs.Wait, [.. Wait.All.Select(static wait => wait.Name)]),
        (Knobs.Capacity, ["256", "1024", "4096", "16384", "65536"]),
        (Knobs.Padding, [.. Knobs.Paddings]),
        (Knobs.Placement, OperatingSystem.IsLinux() && Environment.ProcessorCount > 1 ? [Free, Apart, Together] : [Free]),
    ];

    // The defaults, but for the capacity, which is always the user's. The limit of batches follows from
    // it (UsualBatch): the words have what it comes to, or one choice would have two names. Auto takes no wait: the one here is
    // that of the other plans.
    private static readonly Dictionary<string, string> s_usual = new()
    {
        [Knobs.Plan] = "auto", [Knobs.Dispatch] = "batch", [Knobs.Batch] = "1024", [Knobs.Min] = "1",
        [Knobs.Age] = "50", [Knobs.Wait] = "park", [Knobs.Capacity] = "4096", [Knobs.Padding] = "line-pair", [Knobs.Placement] = Free,
    };

    /// <summary>The knobs with their values, in the order of tables.</summary>
    public static IReadOnlyList<(string Knob, string[] Values)> All => s_knobs;

    /// <summary>How many choices there are, counted with those that come to the same.</summary>
    public static long Size => s_knobs.Aggregate(1L, static (product, knob) => product * knob.Values.Length);

    /// <summary>What to begin with, whatever is random: every plan with every dispatch, a thread per stage with every wait and
    /// capacity, and the plans that hand items on without a wake-up with every capacity and several limits of batches.</summary>
    // A tail depends on capacity and limit together: one knob at a time does not lead there.
    public static IEnumerable<IReadOnlyDictionary<string, string>> Anchors()
    {
        IEnumerable<IReadOnlyDictionary<string, string>> all =
        [
            .. from plan in ValuesOf(Knobs.Plan)
               from dispatch in ValuesOf(Knobs.Dispatch)
               where dispatch != "each" || plan == "shared-ring"
               select With(s_usual, (Knobs.Plan, plan), (Knobs.Dispatch, dispatch)),
            .. from wait in ValuesOf(Knobs.Wait) select With(s_usual, (Knobs.Plan, "shared-ring"), (Knobs.Wait, wait)),
            .. from capacity in ValuesOf(Knobs.Capacity)
               select With(s_usual, (Knobs.Plan, "shared-ring"), (Knobs.Capacity, capacity), (Knobs.Batch, "256")),
            .. from plan in new[] { "fused", "auto" }
               from capacity in ValuesOf(Knobs.Capacity)
               from batch in new[] { "64", "256", "1024" }
               select With(s_usual, (Knobs.Plan, plan), (Knobs.Capacity, capacity), (Knobs.Batch, batch)),
        ];
        return all.Where(IsPossible).Select(Knobs.Normal).DistinctBy(Knobs.NameOf);
    }

    /// <summary>A full grid, of fewer values: what a search is checked against.</summary>
    public static IReadOnlyList<IReadOnlyDictionary<string, string>> Grid() =>
    [
        .. (from plan in ValuesOf(Knobs.Plan)
            from dispatch in ValuesOf(Knobs.Dispatch)
            from batch in dispatch == "single" ? ["4096"] : new[] { "16", "256", "4096" }
            from wait in new[] { "busy-spin", "adaptive", "park", "async" }
            from capacity in new[] { "1024", "16384" }
            select With(
                s_usual, (Knobs.Plan, plan), (Knobs.Dispatch, dispatch), (Knobs.Batch, batch), (Knobs.Wait, wait), (Knobs.Capacity, capacity)))
        .Where(IsPossible).Select(Knobs.Normal).DistinctBy(Knobs.NameOf),
    ];

    /// <summary>A choice drawn at random, all values of a knob alike.</summary>
    public static IReadOnlyDictionary<string, string> Draw(Random random)
    {
        while (true)
        {
            Dictionary<string, string> drawn = s_knobs.ToDictionary(
                static knob => knob.Knob, knob => knob.Values[random.Next(knob.Values.Length)]);
            if (IsPossible(drawn)) return Knobs.Normal(drawn);
        }
    }

    /// <summary>All choices that differ from <paramref name="knobs"/> in one knob.</summary>
    public static IEnumerable<(string Knob, IReadOnlyDictionary<string, string> Knobs)> Neighbours(
        IReadOnlyDictionary<string, string> knobs)
    {
        IReadOnlyDictionary<string, string> full = Full(knobs);
        string own = Knobs.NameOf(Knobs.Normal(full));
        foreach ((string knob, string[] values) in s_knobs)
        {
            foreach (string value in values)
            {
                IReadOnlyDictionary<string, string> other = With(full, (knob, value));
                IReadOnlyDictionary<string, string> normal = Knobs.Normal(other);
                if (IsPossible(other) && Knobs.NameOf(normal) != own) yield return (knob, normal);
            }
        }
    }

    /// <summary>The same choice with every capacity and every limit of batches: the two decide together what an item waits for.</summary>
    public static IEnumerable<IReadOnlyDictionary<string, string>> Rooms(IReadOnlyDictionary<string, string> knobs) =>
    [
        .. (from capacity in ValuesOf(Knobs.Capacity)
            from batch in ValuesOf(Knobs.Batch)
            select With(Full(knobs), (Knobs.Capacity, capacity), (Knobs.Batch, batch)))
        .Where(IsPossible).Select(Knobs.Normal).DistinctBy(Knobs.NameOf),
    ];

    /// <summary>The same choice with one knob at its usual value; itself where that is what it has.</summary>
    public static IReadOnlyDictionary<string, string> Usual(IReadOnlyDictionary<string, string> knobs, string knob)
    {
        IReadOnlyDictionary<string, string> full = Full(knobs);
        IReadOnlyDictionary<string, string> other = With(full, (knob, knob == Knobs.Batch ? UsualBatch(full[Knobs.Capacity]) : s_usual[knob]));
        return IsPossible(other) ? Knobs.Normal(other) : knobs;
    }

    /// <summary>The plan and the capacity of a choice, and the defaults for everything else.</summary>
    public static IReadOnlyDictionary<string, string> Plain(IReadOnlyDictionary<string, string> knobs)
    {
        IReadOnlyDictionary<string, string> full = Full(knobs);
        string capacity = full[Knobs.Capacity];
        return Knobs.Normal(With(
            s_usual, (Knobs.Plan, full[Knobs.Plan]), (Knobs.Capacity, capacity), (Knobs.Batch, UsualBatch(capacity))));
    }

    /// <summary>How many knobs a choice changes; what it names with the library's own default changes nothing.</summary>
    /// <param name="knobs">The choice.</param>
    /// <remarks>A capacity has no default: each definition says its own.</remarks>
    public static int ChangesOf(IReadOnlyDictionary<string, string> knobs) => knobs.Count(one => one.Key switch
    {
        Knobs.Capacity => true,
        Knobs.Batch when knobs.TryGetValue(Knobs.Capacity, out string? capacity) => one.Value != UsualBatch(capacity),
        _ => s_usual.GetValueOrDefault(one.Key) != one.Value,
    });

    private static string UsualBatch(string capacity)
    {
        int slots = int.Parse(capacity, CultureInfo.InvariantCulture);
        return Math.Min(slots, Dispatch.Batch().MaxIn(slots)).ToString(CultureInfo.InvariantCulture);
    }

    private static IReadOnlyDictionary<string, string> Full(IReadOnlyDictionary<string, string> knobs)
    {
        // Auto that is told how to wait, or where to run, is a thread per stage.
        bool isTold = knobs.ContainsKey(Knobs.Wait) || knobs.GetValueOrDefault(Knobs.Placement) is not (null or Free);
        return (isTold ? With(s_usual, (Knobs.Plan, "shared-ring")) : s_usual).With(knobs);
    }

    private static IReadOnlyDictionary<string, string> With(
        IReadOnlyDictionary<string, string> knobs, params IEnumerable<(string Knob, string Value)> changes) =>
        knobs.With(changes.Select(static one => KeyValuePair.Create(one.Knob, one.Value)));

    // A minimum above the maximum, or above half of the ring, is refused by the library.
    private static bool IsPossible(IReadOnlyDictionary<string, string> knobs)
    {
        return Of(Knobs.Min) <= Of(Knobs.Batch) && Of(Knobs.Min) <= Of(Knobs.Capacity) / 2;

        int Of(string knob) => int.Parse(knobs[knob], CultureInfo.InvariantCulture);
    }

    private static string[] ValuesOf(string knob) => Array.Find(s_knobs, one => one.Knob == knob).Values;
}
