using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>Begins a batch to give to a handler.</summary>
/// <example>
/// <code>
/// HandedBatch&lt;long&gt; handed = TestBatch.Of&lt;long&gt;(1, 2, 3).WrappedAfter(1).GiveTo(handler);
/// Assert.Equal(3, handed.Done);
/// </code>
/// </example>
public static class TestBatch
{
    /// <summary>A batch of these items.</summary>
    /// <param name="items">One or more.</param>
    /// <typeparam name="T">The item.</typeparam>
    /// <exception cref="ArgumentException">There is none.</exception>
    public static TestBatch<T> Of<T>(params IReadOnlyList<T> items)
    {
        ArgumentNullException.ThrowIfNull(items);
        if (items.Count == 0) throw new ArgumentException("A batch has one item at least: there is none. Give some.", nameof(items));
        return new TestBatch<T>([.. items]);
    }
}

/// <summary>A batch of a real ring, filled for the unit test of a handler. Immutable.</summary>
/// <remarks>Its sequences, age, depth and close reason are those that a stage would give the handler in its first call.</remarks>
/// <typeparam name="T">The item.</typeparam>
public sealed record TestBatch<T>
{
    private static readonly HarnessOptions<T> s_options = new() { MostPerStep = int.MaxValue };

    private readonly T[] _items;

    internal TestBatch(T[] items) => _items = items;

    private int? Wraps { get; init; }

    private TimeSpan Age { get; init; }

    private int Behind { get; init; }

    private FaultPolicy OnFault { get; init; } = FaultPolicy.Stop;

    /// <summary>The same in two spans (<see cref="Batch{T}.First"/>, <see cref="Batch{T}.Second"/>): round the end of the ring.</summary>
    /// <param name="first">Items before the wrap: 1 or more, and fewer than there are.</param>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1..Count − 1.</exception>
    public TestBatch<T> WrappedAfter(int first)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(first, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(first, _items.Length);
        return this with { Wraps = first };
    }

    /// <summary>The same, closed because its oldest item has waited so long (<see cref="Batch{T}.Age"/>).</summary>
    /// <param name="age">Above zero.</param>
    /// <exception cref="ArgumentOutOfRangeException">Zero or below.</exception>
    public TestBatch<T> Aged(TimeSpan age)
    {
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(age, TimeSpan.Zero);
        return this with { Age = age };
    }

    /// <summary>The same, with more waiting behind it (<see cref="Batch{T}.Depth"/> counts both).</summary>
    /// <param name="more">1 or more.</param>
    /// <exception cref="ArgumentOutOfRangeException">Below 1.</exception>
    public TestBatch<T> WithBehind(int more)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(more, 1);
        return this with { Behind = more };
    }

    /// <summary>The same, for a stage with a fault policy. Without one nothing is called behind a fault.</summary>
    /// <param name="policy">The stage's.</param>
    public TestBatch<T> WithPolicy(FaultPolicy policy)
    {
        ArgumentNullException.ThrowIfNull(policy);
        return this with { OnFault = policy };
    }

    /// <summary>Gives it to a handler, of any of the interfaces, and says what has become of it.</summary>
    /// <param name="handler">The handler. Its start hook is called before, its stop hook after.</param>
    /// <typeparam name="THandler">Its class, or the interface that is meant.</typeparam>
    /// <exception cref="ContractException">It retries without an end, or consumes nothing; or its task does not end within 10 s.</exception>
    public HandedBatch<T> GiveTo<THandler>(THandler handler)
        where THandler : class, IStageHandler<T>
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Give(builder => builder.Stage("handler", handler, Options));
    }

    /// <summary>Gives its items to an action, one by one.</summary>
    /// <param name="handler">Called for each.</param>
    /// <exception cref="ContractException">It is retried without an end.</exception>
    public HandedBatch<T> GiveTo(SlotAction<T> handler)
    {
        ArgumentNullException.ThrowIfNull(handler);
        return Give(builder => builder.Stage("handler", handler, Options));
    }

    private int Count => _items.Length + Behind;

    // A minimum that the items do not reach holds them back until their age has come.
    private StageOptions Options => new()
    {
        Dispatch = Age == TimeSpan.Zero ? Limited : Dispatch.Batch(min: Count + 1, maxAge: Age),
        OnFault = OnFault,
    };

    // Its items alone, as if that were the limit.
    private Dispatch Limited => Dispatch.Batch(max: _items.Length);

    private HandedBatch<T> Give(Action<PipelineBuilder<T, T>> add)
    {
        int capacity = (int)System.Numerics.BitOperations.RoundUpToPowerOf2((uint)(2 * (Count + 1)));
        using PipelineHarness<T> harness = PipelineHarness.Run(
            Pipeline.Of<T>(capacity).Stage("before", static (ref T _) => { }), s_options);
        // What lies before the wrap has passed before the handler's stage joins.
        int before = Wraps is { } first ? capacity - first : 0;
        for (int i = 0; i < before; i++) harness.Source.Send(_items[0]);
        harness.RunUntilIdle();
        Stage stage = harness.Pipeline.Attach(add)[0];
        harness.Source.Send(_items);
        for (int i = 0; i < Behind; i++) harness.Source.Send(_items[^1]);
        return Handed(harness, stage, before);
    }

    private HandedBatch<T> Handed(PipelineHarness<T> harness, Stage stage, long first)
    {
        long last = first + _items.Length - 1;
        StepResult result = harness.Step("handler", _items.Length);
        if (Age > TimeSpan.Zero)
        {
            harness.Time.Advance(Age);
            // The minimum would take what waits behind as well.
            if (Behind > 0) stage.Dispatch = Limited;
            result = harness.Step("handler", _items.Length);
        }

        // Retries, and the rest that a handler has left: the items of the batch alone.
        var left = new Patience(s_options.Limit);
        while (stage.Position < last && result.Kind is StepKind.Progressed or StepKind.Pending)
        {
            if (result.Kind == StepKind.Pending) Wait(harness, stage, left);
            result = harness.Step("handler", (int)(last - stage.Position));
        }

        int done = (int)(Math.Min(stage.Position, last) - first + 1);
        StageStatistics statistics = stage.GetStatistics();
        return new HandedBatch<T>
        {
            Done = done,
            Skipped = (int)statistics.Skipped,
            Faults = (int)statistics.Faults,
            Fault = harness.Pipeline.Ring.IsClosed ? harness.Pipeline.Ring.Refusal().InnerException : null,
            Items = [.. Enumerable.Range(0, _items.Length).Select(i => harness.Pipeline.Ring.Slots[first + i])],
        };
    }

    // For a retry that ends by time, or for a handler's task that ends on another thread.
    private static void Wait(PipelineHarness<T> harness, Stage stage, Patience left)
    {
        if (harness.NextDue() is { } due)
        {
            harness.CountTry(stage);
            harness.Time.Advance(due);
        }
        else if (left.Ends(harness.Pipeline.Completion) && left.IsOver)
        {
            throw harness.Stuck(stage);
        }
    }
}

/// <summary>What has become of a <see cref="TestBatch{T}"/>.</summary>
/// <typeparam name="T">The item.</typeparam>
public sealed record HandedBatch<T>
{
    internal HandedBatch()
    {
    }

    /// <summary>How many of its first items are done, skipped ones included.</summary>
    public int Done { get; internal init; }

    /// <summary>How many of them were skipped or dropped.</summary>
    public int Skipped { get; internal init; }

    /// <summary>How many calls have failed.</summary>
    public int Faults { get; internal init; }

    /// <summary>What has ended it; null if nothing has.</summary>
    public Exception? Fault { get; internal init; }

    /// <summary>The items as the handler has left them.</summary>
    public IReadOnlyList<T> Items { get; internal init; } = [];
}
