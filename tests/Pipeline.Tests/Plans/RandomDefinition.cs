using Raceway.Rings;

namespace Raceway.Pipelines.Tests.Plans;

/// <summary>A definition drawn from a seed, with what each of its stages must see, computed without a ring.</summary>
internal sealed class RandomDefinition
{
    private const int Items = 300;
    private const int Most = 9;

    private readonly Random _random;
    private readonly bool _skips;
    private readonly string? _faulty;
    private readonly List<StageLog> _logs = [];

    private RandomDefinition(int seed, bool skips, string? faulty)
    {
        _random = new Random(seed);
        _skips = skips;
        _faulty = faulty;
        var values = new List<long>();
        for (long i = 0; i < Items; i++) values.Add(i * 7 + 1);
        Source = values;
        Builder = Pipeline.Of<Plain>(32).HaltOnDispose();
        if (skips) Builder.OnFault(FaultPolicy.Skip);
        Grow(Builder, [], values, "s", 0);
        if (_logs.Count == 0) AddStage(Builder, [], values, "only");
    }

    public PipelineBuilder<Plain, Plain> Builder { get; }

    public IReadOnlyList<long> Source { get; }

    public IReadOnlyList<StageLog> Logs => _logs;

    /// <summary>The same seed, the same definition.</summary>
    /// <param name="seed">Draws everything.</param>
    /// <param name="skips">Whether some items are passed over.</param>
    /// <param name="faulty">The stage that stops everything at its middle item.</param>
    public static RandomDefinition Of(int seed, bool skips = false, string? faulty = null) => new(seed, skips, faulty);

    // Each view gets some stages, and further views.
    private void Grow<T>(PipelineBuilder<Plain, T> view, List<string> writers, List<long> values, string prefix, int depth)
        where T : IValue<T>
    {
        int count = _random.Next(1, 4);
        var here = new List<string>();
        for (int i = 0; i < count && _logs.Count < Most; i++)
        {
            string name = $"{prefix}{i}";
            string[] after = After();
            switch (depth < 3 ? _random.Next(5) : 0)
            {
                case 0 or 1:
                    AddStage(view, after, values, name);
                    break;
                case 2 or 3:
                    Next(view, [name], after, values, name, depth, expands: false);
                    break;
                default:
                    Next(view, [], after, values, name, depth, expands: true);
                    break;
            }

            here.Add(name);
        }

        // A chain mostly, so that rings narrow; sometimes branches and joins. The writers always.
        string[] After()
        {
            IEnumerable<string> chosen = here.Count == 0 ? [] : _random.Next(4) > 0 ? [here[^1]] : here.Where(_ => _random.Next(2) == 0);
            return [.. writers, .. chosen];
        }
    }

    private void Next<T>(
        PipelineBuilder<Plain, T> view, List<string> writers, string[] after, List<long> values, string name, int depth, bool expands)
        where T : IValue<T>
    {
        switch (_random.Next(4))
        {
            case 0:
                Change<T, Plain>(view, writers, after, values, name, depth, expands);
                break;
            case 1:
                Change<T, Tagged>(view, writers, after, values, name, depth, expands);
                break;
            case 2:
                Change<T, Fresh>(view, writers, after, values, name, depth, expands);
                break;
            default:
                Change<T, Reused>(view, writers, after, values, name, depth, expands);
                break;
        }
    }

    private void Change<T, TOut>(
        PipelineBuilder<Plain, T> view, List<string> writers, string[] after, List<long> values, string name, int depth, bool expands)
        where T : IValue<T>
        where TOut : IValue<TOut>
    {
        StageLog log = NewLog(name, values);
        if (expands)
        {
            List<long> made = [.. log.Expected.SelectMany(Parts)];
            PipelineBuilder<Plain, TOut> next = view.After(after).Expand<TOut>(
                name, 16, (ref T item, Emitter<TOut> output) =>
                {
                    long value = log.See(T.Get(item));
                    foreach (long part in Parts(value)) TOut.Set(ref output.Next()!, part);
                }, Policy(), create: TOut.Create);
            Grow(next, [], made, name, depth + 1);
            if (!_logs.Exists(other => other.Name.StartsWith(name, StringComparison.Ordinal) && other != log))
                AddStage(next, [], made, name + "x");
            return;
        }

        // A reused object keeps what it held where its item is passed over; the others have no result.
        List<long> results = [.. values.Select(value => log.Skips(value) ? 0 : value * 3 + 1)];
        bool skips = TOut.Create is not null && _skips;
        if (skips) (log, results) = (log.NeverSkipping(), [.. values.Select(value => value * 3 + 1)]);
        if (skips) _logs[^1] = log;
        PipelineBuilder<Plain, TOut> mapped = view.After(after).Map<TOut>(
            name, (ref T item, ref TOut result) => TOut.Set(ref result!, log.See(T.Get(item)) * 3 + 1), Policy(), create: TOut.Create);
        Grow(mapped, writers, results, name, depth + 1);
    }

    private void AddStage<T>(PipelineBuilder<Plain, T> view, string[] after, List<long> values, string name)
        where T : IValue<T>
    {
        StageLog log = NewLog(name, values);
        view.After(after).Stage(name, (ref T item) => log.See(T.Get(item)), Policy());
    }

    private static IEnumerable<long> Parts(long value) => Enumerable.Range(0, (int)(value % 4)).Select(part => value * 5 + part);

    private StageLog NewLog(string name, List<long> values)
    {
        var log = new StageLog(name, values, _skips && _random.Next(3) == 0, name == _faulty);
        _logs.Add(log);
        return log;
    }

    private Dispatch Policy() => _random.Next(4) switch
    {
        0 => Dispatch.Single,
        1 => Dispatch.Each(max: 7, progressInterval: 3),
        2 => Dispatch.Batch(max: 5),
        _ => Dispatch.Batch(),
    };
}

/// <summary>What a stage sees, and what it must see.</summary>
internal sealed class StageLog(string name, IReadOnlyList<long> values, bool skips, bool faulty)
{
    private readonly List<long> _seen = [];

    public string Name => name;

    public IReadOnlyList<long> Seen => _seen;

    /// <summary>What it handles in the end.</summary>
    public IReadOnlyList<long> Expected { get; } = [.. values.Where(value => !(skips && IsBad(value)))];

    /// <summary>How many items come before the one it fails at.</summary>
    public int FailsAt => values.Count / 2;

    public bool CanFail => values.Count > 0;

    public bool Skips(long value) => skips && IsBad(value);

    public StageLog NeverSkipping() => new(name, values, false, faulty);

    public long See(long value)
    {
        if (Skips(value)) throw new InvalidOperationException($"skipped {value}");
        if (faulty && _seen.Count == FailsAt) throw new InvalidOperationException($"failed at {value}");
        _seen.Add(value);
        return value;
    }

    private static bool IsBad(long value) => value % 11 == 3;
}
