using System.Collections.Concurrent;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>What every source keeps, which is code that brings items into a pipeline: Raceway's own pass it, and one of yours must.</summary>
/// <remarks>
/// A source publishes by <see cref="Pipeline{T}.Publisher"/> or a producer of its own, and says its end by
/// <see cref="Pipeline{T}.TryComplete"/>. <b>Cost</b>: some tenths of a second.
/// </remarks>
/// <example>
/// <code>
/// SourceContract.Check(static async (pipeline, items, cancellation) =>
/// {
///     foreach (long item in items) await pipeline.Publisher.PublishAsync(item, cancellation);
///     pipeline.TryComplete();
/// });
/// </code>
/// </example>
public static class SourceContract
{
    private const int Items = 2_000;
    private const int Capacity = 64;

    private static readonly IReadOnlyList<long> s_items = [.. Enumerable.Range(0, Items).Select(static item => (long)item)];

    /// <summary>Checks a source.</summary>
    /// <param name="run">
    /// Runs it: brings the items into the pipeline, one behind the other, and completes the pipeline behind the last one. The token
    /// ends it early: then the pipeline stays open.
    /// </param>
    /// <param name="limit">How long each part may take. Default: a minute; what takes longer counts as hanging.</param>
    /// <exception cref="ContractException">It breaks a rule; the message says which.</exception>
    public static void Check(Func<Pipeline<long>, IReadOnlyList<long>, CancellationToken, Task> run, TimeSpan? limit = null)
    {
        ArgumentNullException.ThrowIfNull(run);
        foreach (ProducerKind kind in Enum.GetValues<ProducerKind>())
        {
            var guard = new Guard($"a source, {kind} producers", limit ?? TimeSpan.FromMinutes(1));
            InPipeline(guard, kind, trial => Streams(guard, trial, run));
            InPipeline(guard, kind, trial => Ends(guard, trial, run, "A halt must end a source that waits for room, with an error.", static trial => _ = trial.Pipeline.HaltAsync()));
            InPipeline(guard, kind, trial => Ends(guard, trial, run, "A fault must end a source that waits for room, with an error.", static trial => trial.Fails = true));
            InPipeline(guard, kind, trial => Cancels(guard, trial, run));
        }
    }

    /// <summary>Checks what a source does that fails.</summary>
    /// <param name="run">Runs a source, and lets its input fail with the exception that is given.</param>
    /// <param name="limit">How long each part may take. Default: a minute; what takes longer counts as hanging.</param>
    /// <exception cref="ContractException">It breaks a rule; the message says which.</exception>
    public static void CheckFailure(Func<Pipeline<long>, Exception, CancellationToken, Task> run, TimeSpan? limit = null)
    {
        ArgumentNullException.ThrowIfNull(run);
        const string Rule = "A source that fails must fault its pipeline with the cause.";
        var guard = new Guard("a source that fails", limit ?? TimeSpan.FromMinutes(1));
        InPipeline(guard, ProducerKind.Single, trial =>
        {
            trial.Hold.Set();
            var cause = new FormatException("a fault of the contract's own");
            Task running = Begin(trial, token => run(trial.Pipeline, cause, token));
            guard.Ends(Rule, () => Task.WhenAny(trial.Pipeline.Completion).Wait());
            guard.Ends(Rule, () => Task.WhenAny(running).Wait());
            Exception? fault = trial.Pipeline.Completion.Exception?.InnerException;
            guard.That(fault?.InnerException == cause, Rule, () => $"the pipeline is {trial.Pipeline.State}, with {Name(fault?.InnerException ?? fault)}");
        });
    }

    private static void Streams(Guard guard, Trial trial, Func<Pipeline<long>, IReadOnlyList<long>, CancellationToken, Task> run)
    {
        const string Rule = "Every item must arrive once and in order, and behind the last one the pipeline must end.";
        Task running = Begin(trial, token => run(trial.Pipeline, s_items, token));
        // The handler holds the first item until the source has filled the ring, so that the source waits as well.
        trial.Fills(guard, running);
        trial.Hold.Set();
        guard.Ends(Rule, running.Wait);
        guard.Ends(Rule, () => Task.WhenAny(trial.Pipeline.Completion).Wait());
        guard.That(
            trial.Pipeline.State == RingState.Stopped && trial.Handled.SequenceEqual(s_items), Rule,
            () => $"{trial.Pipeline.State}, {trial.Told()} of {Items}");
    }

    private static void Ends(
        Guard guard, Trial trial, Func<Pipeline<long>, IReadOnlyList<long>, CancellationToken, Task> run, string rule, Action<Trial> end)
    {
        Task running = Begin(trial, token => run(trial.Pipeline, s_items, token));
        trial.Fills(guard, running);
        end(trial);
        trial.Hold.Set();
        guard.Ends(rule, () => Task.WhenAny(running).Wait());
        guard.That(running.IsFaulted, rule, () => $"its task is {running.Status}");
    }

    private static void Cancels(Guard guard, Trial trial, Func<Pipeline<long>, IReadOnlyList<long>, CancellationToken, Task> run)
    {
        const string Rule = "A token must end a source, behind what it cannot give back, and leave the pipeline open.";
        Task running = Begin(trial, token => run(trial.Pipeline, s_items, token));
        trial.Fills(guard, running);
        trial.Cancel();
        trial.Hold.Set();
        guard.Ends(Rule, () => Task.WhenAny(running).Wait());
        guard.That(running.IsCanceled, Rule, () => $"its task is {running.Status}");
        guard.That(trial.Pipeline.State == RingState.Running, Rule, () => $"the pipeline is {trial.Pipeline.State}");
        DrainResult result = guard.Ends(Rule, trial.Pipeline.DrainAsync(Timeout.InfiniteTimeSpan));
        guard.That(
            result.IsDrained && trial.Handled.SequenceEqual(s_items.Take(trial.Handled.Count)), Rule, () => $"{result}, {trial.Told()}");
    }

    // On the pool: a source may block where it is called.
    private static Task Begin(Trial trial, Func<CancellationToken, Task> run) => Task.Run(() => run(trial.Token));

    private static string Name(Exception? error) => error is null ? "no error" : $"{error.GetType().Name}: {error.Message}";

    private static void InPipeline(Guard guard, ProducerKind kind, Action<Trial> check)
    {
        using var trial = new Trial(kind);
        try
        {
            guard.Disposes("A disposal must end.", trial.Pipeline, () => check(trial));
        }
        finally
        {
            trial.Hold.Set();
        }
    }

    /// <summary>A pipeline with a handler that stands at the first item until it is let go.</summary>
    private sealed class Trial : IDisposable
    {
        private readonly CancellationTokenSource _cancelled = new();

        public Trial(ProducerKind kind) => Pipeline = Pipelines.Pipeline.Of<long>(Capacity)
            .Configure(options => options with { Producers = kind, MaxProducers = 1, DrainTimeout = TimeSpan.Zero })
            .Stage("handle", (ref long item) =>
            {
                Hold.Wait();
                if (Fails) throw new InvalidOperationException("a fault of the contract's own");
                Handled.Enqueue(item);
            })
            .Run(Plan.SharedRing);

        public Pipeline<long> Pipeline { get; }

        public ConcurrentQueue<long> Handled { get; } = [];

        public ManualResetEventSlim Hold { get; } = new();

        public bool Fails { get; set; }

        public CancellationToken Token => _cancelled.Token;

        public void Cancel() => _cancelled.Cancel();

        public string Told() => $"{Handled.Count} items handled, the last {(Handled.IsEmpty ? "none" : $"{Handled.Last()}")}";

        public void Fills(Guard guard, Task running)
        {
            const string Rule = "A source must go on while there is room.";
            // Behind claims of several there may be less room left than for one more.
            guard.Comes(Rule, () => Pipeline.Backlog > Capacity / 2 || running.IsCompleted, () => $"backlog {Pipeline.Backlog} of {Capacity}");
            guard.That(!running.IsCompleted, Rule, () => $"its task is {running.Status}: {Name(running.Exception?.InnerException)}");
        }

        // What has broken a rule may still run: nothing of it is left behind.
        public void Dispose()
        {
            _cancelled.Cancel();
            _cancelled.Dispose();
        }
    }
}
