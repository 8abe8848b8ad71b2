using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>What every sink keeps, which is code that takes items out of a pipeline: Raceway's own pass it, and one of yours must.</summary>
/// <remarks>
/// A sink polls a <see cref="Poller{T}"/>, waits by <see cref="Poller{T}.WaitAsync"/>, and behind <see cref="PollStatus.Ended"/>
/// awaits <see cref="Poller{T}.Completion"/>. <b>Cost</b>: some tenths of a second.
/// </remarks>
/// <example>
/// <code>
/// SinkContract.Check(static async (poller, take, cancellation) =>
/// {
///     await foreach (long item in poller.AsAsyncEnumerable().WithCancellation(cancellation)) take(item);
/// });
/// </code>
/// </example>
public static class SinkContract
{
    private const int Items = 2_000;
    private const int Wrong = 700;

    /// <summary>Checks a sink.</summary>
    /// <param name="run">
    /// Runs it: calls the action once for each item that the poller gives, until the pipeline's end. The token ends it early: then
    /// another run with the same poller goes on behind the last item.
    /// </param>
    /// <param name="limit">How long each part may take. Default: a minute; what takes longer counts as hanging.</param>
    /// <exception cref="ContractException">It breaks a rule; the message says which.</exception>
    public static void Check(Func<Poller<long>, Action<long>, CancellationToken, Task> run, TimeSpan? limit = null)
    {
        ArgumentNullException.ThrowIfNull(run);
        foreach (Plan plan in new[] { Plan.SharedRing, Plan.Fused, Plan.RingPerStage, Plan.Pooled })
        {
            var guard = new Guard($"a sink, {plan}", limit ?? TimeSpan.FromMinutes(1));
            var check = new Checks(guard, run);
            InPipeline(guard, plan, check.Streams);
            InPipeline(guard, plan, check.Streams, static item => item % 3 != 1);
            InPipeline(guard, plan, check.Halts);
            InPipeline(guard, plan, check.Faults);
            InPipeline(guard, plan, check.FailsItself);
            InPipeline(guard, plan, check.CancelsAtRest);
            InPipeline(guard, plan, check.GoesOn);
        }
    }

    private static void InPipeline(Guard guard, Plan plan, Action<Trial> check, Func<long, bool>? isFor = null)
    {
        using var trial = new Trial(plan, isFor);
        guard.Disposes("A disposal must end: no batch may stay open.", trial.Pipeline, () => check(trial));
    }

    private sealed class Checks(Guard guard, Func<Poller<long>, Action<long>, CancellationToken, Task> run)
    {
        public void Streams(Trial trial)
        {
            const string Rule = "Every item must come out once and in order, and at the pipeline's end the sink must end.";
            var taken = new List<long>();
            Task running = Begin(trial, taken.Add);
            guard.Ends(Rule, () => trial.Publish(0, Items));
            trial.Pipeline.TryComplete();
            guard.Ends(Rule, running.Wait);
            guard.That(taken.SequenceEqual(trial.Expected(0, Items)), Rule, () => Told(taken));
        }

        public void Halts(Trial trial)
        {
            const string Rule = "A halt must end a sink that waits for items.";
            var taken = new List<long>();
            Task running = Begin(trial, taken.Add);
            guard.Ends(Rule, () => trial.Publish(0, 10));
            guard.Comes(Rule, () => trial.Pipeline.Backlog == 0, () => $"backlog {trial.Pipeline.Backlog}");
            guard.Ends(Rule, trial.Pipeline.HaltAsync().Wait);
            guard.Ends(Rule, () => Task.WhenAny(running).Wait());
            guard.That(taken.SequenceEqual(trial.Expected(0, 10)), Rule, () => Told(taken));
        }

        public void Faults(Trial trial)
        {
            const string Rule = "A fault of another stage must end the sink, which must say so.";
            trial.FailsFrom = 20;
            Task running = Begin(trial, static _ => { });
            guard.Ends(Rule, () => trial.Publish(0, 40));
            guard.Ends(Rule, () => Task.WhenAny(running).Wait());
            guard.That(running.IsFaulted, Rule, () => $"its task is {running.Status}");
        }

        public void FailsItself(Trial trial)
        {
            const string Rule = "An item that cannot be taken must end the sink or fault the pipeline, and those before it must not come again.";
            var taken = new List<long>();
            Task running = Begin(trial, item =>
            {
                if (item == Wrong) throw new FormatException("a fault of the contract's own");
                taken.Add(item);
            });
            // Where the sink has ended there is no more room until the disposal.
            Task publishing = Task.Run(() => trial.Publish(0, Items));
            guard.Ends(Rule, () => Task.WhenAny(running, trial.Pipeline.Completion, publishing).Wait());
            trial.Pipeline.TryComplete();
            guard.Ends(Rule, () => Task.WhenAny(running, trial.Pipeline.Completion).Wait());
            if (!running.IsFaulted) guard.Ends(Rule, () => Task.WhenAny(trial.Pipeline.Completion).Wait());
            guard.That(running.IsFaulted || trial.Pipeline.State == RingState.Faulted, Rule, () => $"its task is {running.Status}, the pipeline {trial.Pipeline.State}");
            guard.That(taken.SequenceEqual(trial.Expected(0, Wrong)), Rule, () => Told(taken));
        }

        public void CancelsAtRest(Trial trial)
        {
            const string Rule = "A token must end a sink that waits for items, and leave the pipeline open.";
            using var cancelled = CancellationTokenSource.CreateLinkedTokenSource(trial.Over);
            Task running = Begin(trial, static _ => { }, cancelled.Token);
            guard.Ends(Rule, () => trial.Publish(0, 10));
            guard.Comes(Rule, () => trial.Pipeline.Backlog == 0, () => $"backlog {trial.Pipeline.Backlog}");
            cancelled.Cancel();
            guard.Ends(Rule, () => Task.WhenAny(running).Wait());
            guard.That(
                running.IsCanceled && trial.Pipeline.State == RingState.Running, Rule,
                () => $"its task is {running.Status}, the pipeline {trial.Pipeline.State}");
        }

        public void GoesOn(Trial trial)
        {
            const string Rule = "Behind a run that a token has ended the next one must go on: no item lost, none twice.";
            var taken = new List<long>();
            using var cancelled = CancellationTokenSource.CreateLinkedTokenSource(trial.Over);
            Task first = Begin(trial, item =>
            {
                taken.Add(item);
                if (item == Wrong) cancelled.Cancel();
            }, cancelled.Token);
            Task publishing = Task.Run(() => trial.Publish(0, Items));
            guard.Ends(Rule, () => Task.WhenAny(first).Wait());
            guard.That(first.IsCanceled, Rule, () => $"its task is {first.Status}");
            Task second = Begin(trial, taken.Add);
            guard.Ends(Rule, publishing.Wait);
            trial.Pipeline.TryComplete();
            guard.Ends(Rule, second.Wait);
            guard.That(taken.SequenceEqual(trial.Expected(0, Items)), Rule, () => Told(taken));
        }

        // On the pool: a sink may block where it is called.
        private Task Begin(Trial trial, Action<long> take, CancellationToken? token = null) =>
            Task.Run(() => run(trial.Poller, take, token ?? trial.Over), CancellationToken.None);

        private static string Told(List<long> taken)
        {
            int at = Enumerable.Range(1, Math.Max(0, taken.Count - 1)).FirstOrDefault(i => taken[i] <= taken[i - 1], -1);
            return at < 0 ? $"{taken.Count} items" : $"{taken.Count} items, {taken[at]} behind {taken[at - 1]}";
        }
    }

    /// <summary>A pipeline that ends in a poller, behind a stage and, where only some items are for it, a filter.</summary>
    private sealed class Trial : IDisposable
    {
        private readonly CancellationTokenSource _over = new();
        private readonly Func<long, bool> _isFor;
        private readonly SingleProducer<long> _producer;

        public Trial(Plan plan, Func<long, bool>? isFor)
        {
            _isFor = isFor ?? (static _ => true);
            PipelineBuilder<long, long> builder = Pipelines.Pipeline.Of<long>(64)
                .Configure(static options => options with { DrainTimeout = TimeSpan.Zero })
                .Stage("before", (ref long item) =>
                {
                    if (item >= FailsFrom) throw new InvalidOperationException("a fault of the contract's own");
                });
            if (isFor is not null) builder = builder.Filter("some", (ref readonly long item) => isFor(item));
            Pipeline = builder.Poller("sink").Run(plan);
            Poller = Pipeline.GetPoller<long>("sink");
            _producer = Pipeline.CreateProducer();
        }

        public Pipeline<long> Pipeline { get; }

        public Poller<long> Poller { get; }

        public long FailsFrom { get; set; } = long.MaxValue;

        /// <summary>Is cancelled when the check has ended.</summary>
        public CancellationToken Over => _over.Token;

        public IEnumerable<long> Expected(long first, long end)
        {
            for (long item = first; item < end; item++)
                if (_isFor(item)) yield return item;
        }

        // Where the pipeline takes no more, the check says what is wrong.
        public void Publish(long first, long end)
        {
            try
            {
                for (long item = first; item < end; item++) _producer.Publish(item);
            }
            catch (Exception refused) when (refused is RingStoppedException or RingFaultedException)
            {
            }
        }

        // What has broken a rule may still run: nothing of it is left behind.
        public void Dispose()
        {
            _over.Cancel();
            _over.Dispose();
        }
    }
}
