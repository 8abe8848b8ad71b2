using System.Globalization;
using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Analysis.Tuning;

/// <summary>
/// Settings by the words of the result rows: the one form in which they are drawn, measured, written and read again.
/// </summary>
/// <remarks>A knob that is not named stays as the pipeline's definition has it. The plan is then <see cref="Pipelines.Plan.Auto"/>, as
/// for a user without settings.</remarks>
public static class Knobs
{
    public const string Plan = "plan", Dispatch = "dispatch", Batch = "batch", Min = "min", Age = "age-us", Wait = "wait",
        Capacity = "capacity", Padding = "padding", Placement = "placement";

    /// <summary>The name in the rows of a pipeline with the definition as it is.</summary>
    public const string AsDefined = "raceway/as-defined";

    /// <summary>The knob that one stage's own dispatch has, with its name behind.</summary>
    public const string OfStage = "dispatch:";

    /// <summary>What is a Channel and not a setting of ours: no knob at all but this one.</summary>
    public const string Transport = "transport";

    /// <summary>The value of <see cref="Transport"/>, and the contestant's name.</summary>
    public const string Channel = "channel-bounded";

    /// <summary>The value of <see cref="Transport"/>, and the contestant's name, where the generator runs without a pipeline.</summary>
    public const string Control = "no-pipeline";

    private static readonly (string Name, Plan Plan)[] s_plans =
    [
        ("shared-ring", Pipelines.Plan.SharedRing), ("fused", Pipelines.Plan.Fused), ("ring-per-stage", Pipelines.Plan.RingPerStage),
        ("pooled", Pipelines.Plan.Pooled), ("auto", Pipelines.Plan.Auto),
    ];

    private static readonly (string Name, CellPadding Padding)[] s_paddings =
        [("none", CellPadding.None), ("line", CellPadding.Line), ("line-pair", CellPadding.LinePair)];

    /// <summary>The plans that can be chosen.</summary>
    public static IEnumerable<string> Plans => s_plans.Select(static one => one.Name);

    /// <summary>The paddings that can be chosen.</summary>
    public static IEnumerable<string> Paddings => s_paddings.Select(static one => one.Name);

    /// <summary>The settings that the words stand for.</summary>
    /// <exception cref="FormatException">A knob or a value is none; the message says which.</exception>
    public static PipelineSettings ToSettings(IReadOnlyDictionary<string, string> knobs)
    {
        string? level = knobs.GetValueOrDefault(Dispatch);
        return new PipelineSettings
        {
            Plan = knobs.GetValueOrDefault(Plan) is { } plan ? Named(Plan, s_plans, plan) : Pipelines.Plan.Auto,
            Capacity = Number(knobs, Capacity),
            // Limits alone are those of batches, as every stage is called that says nothing else.
            Dispatch = level is null && !(knobs.ContainsKey(Batch) || knobs.ContainsKey(Min) || knobs.ContainsKey(Age))
                ? null
                : DispatchOf(level ?? "batch", Number(knobs, Batch), Number(knobs, Min), Number(knobs, Age)),
            DispatchOf = knobs.Where(static one => one.Key.StartsWith(OfStage, StringComparison.Ordinal))
                .ToDictionary(static one => one.Key[OfStage.Length..], static one => OfWord(one.Value)),
            Wait = knobs.GetValueOrDefault(Wait) is { } wait
                ? Rings.Wait.All.FirstOrDefault(one => one.Name == wait) ?? throw Unknown(Wait, wait)
                : null,
            Padding = knobs.GetValueOrDefault(Padding) is { } padding ? Named(Padding, s_paddings, padding) : null,
            Processors = knobs.GetValueOrDefault(Placement) is { } place ? ProcessorsOf(place) : null,
        };
    }

    /// <summary>What a remedy changes; nothing where that is not a matter of settings, such as more workers.</summary>
    public static IReadOnlyDictionary<string, string>? Of(Remedy remedy) => remedy switch
    {
        { Plan: { } plan } => One(Plan, s_plans.FirstOrDefault(one => one.Plan == plan).Name),
        { Capacity: { } capacity, Ring: 0 or null } => One(Capacity, capacity.ToString(CultureInfo.InvariantCulture)),
        { Wait: { } wait } => One(Wait, wait.Name),
        { Dispatch: { } dispatch, Stage: { } stage } => One(OfStage + stage, WordOf(dispatch)),
        _ => null,
    };

    /// <summary>The choice with some knobs turned.</summary>
    public static IReadOnlyDictionary<string, string> With(
        this IReadOnlyDictionary<string, string> knobs, IEnumerable<KeyValuePair<string, string>> changes)
    {
        var changed = new SortedDictionary<string, string>(knobs.ToDictionary(), StringComparer.Ordinal);
        foreach ((string knob, string value) in changes) changed[knob] = value;
        return changed;
    }

    /// <summary>The same choice in fewer words: a knob that another one makes meaningless is left out.</summary>
    public static IReadOnlyDictionary<string, string> Normal(IReadOnlyDictionary<string, string> knobs)
    {
        var left = new SortedDictionary<string, string>(
            knobs.ToDictionary(static one => one.Key, static one => one.Value), StringComparer.Ordinal);
        if (left.GetValueOrDefault(Dispatch) == "single") Remove(Batch, Min, Age);
        if (left.GetValueOrDefault(Min) is null or "1") Remove(Min, Age);
        if (left.GetValueOrDefault(Placement) == KnobSpace.Free) Remove(Placement);
        // Auto decides how stages wait, and where: told so, it would be a thread a stage under another name.
        if (left.GetValueOrDefault(Plan) == "auto") Remove(Wait, Placement);
        // A thread a stage that waits by the pool is a stage of the pool; its threads are no stage's own.
        if (left.GetValueOrDefault(Wait) == "async" && left.GetValueOrDefault(Plan) == "shared-ring") left[Plan] = "pooled";
        if (left.GetValueOrDefault(Plan) == "pooled" || left.GetValueOrDefault(Wait) == "async") Remove(Placement);
        // No batch holds more than the ring.
        if (Number(left, Capacity) is { } capacity && Number(left, Batch) > capacity) left[Batch] = left[Capacity];
        return left;

        void Remove(params ReadOnlySpan<string> names)
        {
            foreach (string name in names) left.Remove(name);
        }
    }

    /// <summary>One word for a choice: the key to tell two of them apart, and the contestant's name in the rows.</summary>
    public static string NameOf(IReadOnlyDictionary<string, string> knobs)
    {
        if (knobs.GetValueOrDefault(Transport) is { } transport) return transport;
        if (knobs.Count == 0) return AsDefined;
        string[] order = [Plan, Dispatch, Batch, Min, Age, Wait, Capacity, Padding, Placement];
        IEnumerable<string> first = order.Where(knobs.ContainsKey).Select(name => name switch
        {
            Min => "min" + knobs[name],
            Age => knobs[name] + "us",
            Capacity => "cap" + knobs[name],
            Padding => "pad-" + knobs[name],
            _ => knobs[name],
        });
        IEnumerable<string> stages = knobs.Where(static one => one.Key.StartsWith(OfStage, StringComparison.Ordinal))
            .Select(static one => $"{one.Key[OfStage.Length..]}={one.Value}");
        return "raceway/" + string.Join(' ', first.Concat(stages));
    }

    private static Dispatch DispatchOf(string level, int? max, int? min, int? age)
    {
        TimeSpan? maxAge = age is { } micros ? TimeSpan.FromMicroseconds(micros) : null;
        try
        {
            return level switch
            {
                "single" => Rings.Dispatch.Single,
                "each" => Rings.Dispatch.Each(max, min ?? 1, maxAge),
                "batch" => Rings.Dispatch.Batch(max, min ?? 1, maxAge),
                _ => throw Unknown(Dispatch, level),
            };
        }
        catch (ArgumentException error)
        {
            throw new FormatException(error.Message);
        }
    }

    private static Dictionary<string, string>? One(string knob, string? value) =>
        value is null ? null : new Dictionary<string, string> { [knob] = value };

    private static string WordOf(Dispatch dispatch)
    {
        string level = dispatch.Level.ToString().ToLowerInvariant();
        return dispatch.Max is { } max ? string.Create(CultureInfo.InvariantCulture, $"{level} {max}") : level;
    }

    // "single", "batch", or "batch 16".
    private static Dispatch OfWord(string word)
    {
        string[] parts = word.Split(' ', 2);
        return DispatchOf(parts[0], parts.Length == 1 ? null : Number(OfStage, parts[1]), null, null);
    }

    private static int[]? ProcessorsOf(string placement)
    {
        int[] usable = Affinity.Read();
        return (placement, usable) switch
        {
            (KnobSpace.Free, _) or (_, []) => null,
            // The producer is left alone: its stages begin on another processor than the first.
            (KnobSpace.Apart, _) => [.. usable.Skip(1), usable[0]],
            (KnobSpace.Together, _) => [usable[^1]],
            _ => throw Unknown(Placement, placement),
        };
    }

    private static T Named<T>(string knob, (string Name, T Value)[] all, string name) =>
        all.FirstOrDefault(one => one.Name == name) is { Name: not null } found ? found.Value : throw Unknown(knob, name);

    private static int? Number(IReadOnlyDictionary<string, string> knobs, string name) =>
        knobs.GetValueOrDefault(name) is { } text ? Number(name, text) : null;

    private static int Number(string name, string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number) ? number : throw Unknown(name, text);

    private static FormatException Unknown(string knob, string value) => new($"there is no {knob} '{value}'.");
}
