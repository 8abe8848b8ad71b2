using Raceway.Rings;

namespace Raceway.Pipelines.Tests;

/// <summary>
/// Handlers that do all of a call or nothing, and bad items in their batches, behind every kind of input that a stage has: the
/// good are handled once, the bad are dead-lettered, and later stages see both.
/// </summary>
public sealed class SplitTests
{
    private const int Count = 600;

    /// <summary>Which items a stage is for, and in which calls it has them.</summary>
    public enum Input
    {
        All,
        Filtered,
        Shared,
        Lanes,
        Keys,
    }

    public static TheoryData<Input, bool, int> Seeds =>
        Cross.Of(Enum.GetValues<Input>(), [false, true], [.. Enumerable.Range(1, 12)]);

    public static TheoryData<Input, bool, Plan> Plans => Cross.Of(Enum.GetValues<Input>(), [false, true], Enum.GetValues<Plan>());

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task DeadLetter_SteppedInAnyOrder_TheBadAreToldFromTheGood(Input input, bool awaits, int seed)
    {
        var random = new Random(seed);
        var run = new Run(input, awaits, later: false, [.. Enumerable.Range(0, random.Next(1, 60)).Select(_ => (long)random.Next(Count))]);
        await using Pipeline<Routed> pipeline = run.Define(1 << random.Next(3, 9)).Run(Plan.Manual);
        RouteTests.Publish(pipeline, random, Count, seed, KeyOf);
        run.Check();
    }

    [Theory]
    [MemberData(nameof(Plans))]
    public async Task DeadLetter_AnyPlan_TheBadAreToldFromTheGood(Input input, bool awaits, Plan plan)
    {
        var run = new Run(input, awaits, later: true, [.. Enumerable.Range(0, Count).Where(id => id % 41 < 2).Select(id => (long)id)]);
        await RouteTests.RunAsync(run.Define(128), plan, Count, KeyOf);
        run.Check();
    }

    private static long KeyOf(long id) => id * id % 37;

    /// <summary>One pipeline, and what its handlers were given.</summary>
    private sealed class Run(Input input, bool awaits, bool later, HashSet<long> bad)
    {
        private readonly List<Routed>[] _handled = [[], [], []];
        private readonly List<long> _dead = [];
        private readonly List<string> _failed = [];
        private readonly Recorder _behind = new();

        // Stepped by a test, a task that completes later is one that the test must wait for.
        private bool Later => later;

        public PipelineBuilder<Routed, Routed> Define(int capacity)
        {
            PipelineBuilder<Routed, Routed> builder = Pipeline.Of<Routed>(capacity).HaltOnDispose();
            if (input == Input.Filtered) builder = builder.Filter("some", static (ref readonly Routed item) => IsIn(item.Id));
            var options = new StageOptions { OnFault = FaultPolicy.Retry(1, FaultPolicy.DeadLetter<Routed>(Bury)) };
            KeySelector<Routed, long> key = static (ref readonly Routed item) => item.Key;
            builder = (input, awaits) switch
            {
                (Input.Shared, false) => builder.Workers("work", 3, number => new Sync(this, number), options),
                (Input.Shared, true) => builder.Workers("work", 3, number => new Async(this, number), options),
                (Input.Lanes, false) => builder.Lanes("work", 3, key, number => new Sync(this, number), options),
                (Input.Lanes, true) => builder.Lanes("work", 3, key, number => new Async(this, number), options),
                (Input.Keys, _) => builder.Lanes("work", 3, key, number => new ByKey(this, number), options),
                (_, false) => builder.Stage("work", new Sync(this, 0), options),
                _ => builder.Stage("work", new Async(this, 0), options),
            };
            return builder.Stage("behind", _behind.Do);
        }

        public void Check()
        {
            List<long> all = RouteTests.Ids(id => input != Input.Filtered || IsIn(id), Count);
            Assert.Equal(all.Except(bad), _handled.SelectMany(static items => items).Select(static item => item.Id).Order());
            Assert.Equal(all.Intersect(bad).Order(), _dead.Order());
            Assert.Equal(all, _behind.Ids);
            Assert.All(_handled, AssertOrder);
            // Tried and retried; then each call for the same fault has fewer items.
            Assert.All(_failed.GroupBy(static items => items), static calls => Assert.InRange(calls.Count(), 1, 2));
        }

        // Calls for one key come in order, and those for several keys need not.
        private void AssertOrder(List<Routed> handled) => Assert.All(
            handled.GroupBy(item => input == Input.Keys ? item.Key : 0),
            static items => Assert.Equal(items.Select(static item => item.Id).Order(), items.Select(static item => item.Id)));

        private static bool IsIn(long id) => id % 3 != 0;

        private void Bury(ref Routed item, in FaultContext context)
        {
            Assert.Equal(2, context.Attempt);
            lock (_dead) _dead.Add(item.Id);
        }

        private void Do(int number, List<Routed> items)
        {
            if (!items.Exists(item => bad.Contains(item.Id)))
            {
                _handled[number].AddRange(items);
                return;
            }

            if (items.Count > 1) lock (_failed) _failed.Add(string.Join(' ', items.Select(static item => item.Id)));
            throw new FormatException();
        }

        private sealed class Sync(Run run, int number) : IBatchHandler<Routed>
        {
            public void OnBatch(Batch<Routed> batch) => run.Do(number, [.. batch.ToArray()]);
        }

        private sealed class Async(Run run, int number) : IAsyncBatchHandler<Routed>
        {
            public async ValueTask OnBatchAsync(AsyncBatch<Routed> batch, CancellationToken cancellation)
            {
                if (run.Later && batch.Sequence % 2 == 0) await Task.Yield();
                run.Do(number, [.. batch.ToArray()]);
            }
        }

        private sealed class ByKey(Run run, int number) : IKeyHandler<Routed, long>
        {
            public void OnKey(long key, KeyedItems<Routed> items)
            {
                List<Routed> own = [];
                foreach (ref Routed item in items) own.Add(item);
                run.Do(number, own);
            }
        }
    }
}
