using System.Collections.Concurrent;
using Raceway.Pipelines.Tests.Testing.Planted;
using Raceway.Rings;
using Raceway.Testing;

namespace Raceway.Pipelines.Tests.Testing;

/// <summary>What is tried, and how small the finding is.</summary>
public sealed class DispatchInvarianceTests
{
    private static readonly long[] s_items = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19];

    [Fact]
    public void Check_RightHandler_TriesEveryCutSeedAndPlan()
    {
        var cuts = new ConcurrentDictionary<string, bool>();
        InvarianceReport report = DispatchInvariance.Check(s_items, trial =>
        {
            var recorder = new Recorder<long>();
            trial.Pipeline.Stage("seen", recorder);
            return recorder;
        }, recorder =>
        {
            cuts[string.Join(' ', recorder.Batches)] = true;
            return recorder.Items;
        }, new InvarianceOptions { CutLength = 6 });
        // Of 6 items and fewer there are 63 cuts, each tried as it is written.
        Assert.Equal(63, Enumerable.Range(1, 6).Sum(length => AllCuts(length).Count(cuts.ContainsKey)));
        // With a run one by one for each length, and six levels of dispatch beside two of these.
        Assert.Equal(63 + 6 + 6 * 2, report.Cuts);
        Assert.Equal((16 * 2, 5 * 4 * 2), (report.Seeds, report.Plans));
        // No fault point was visited: looked for under three cuts, beside a run one by one each.
        Assert.Equal(3 * 2, report.Faults);
    }

    private static IEnumerable<string> AllCuts(int length)
    {
        if (length == 0) return [""];
        return Enumerable.Range(1, length).SelectMany(first => AllCuts(length - first).Select(rest => $"{first} {rest}".Trim()));
    }

    [Fact]
    public void Check_TwoItemsInOneBatch_NamesThemAlone()
    {
        InvarianceException found = Assert.Throws<InvarianceException>(
            () => DispatchInvariance.Check(s_items, static () => new WrongTogether(12, 16), static handler => handler.Sum));
        Assert.Equal((2, "2"), (found.Items, string.Join(' ', found.Cut)));
        Assert.Contains("2 items [12, 16] in batches [2] gave 12; one by one it gave 28", found.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Check_SecondSpanForgotten_NamesTheCutThatWraps()
    {
        InvarianceException found = Assert.Throws<InvarianceException>(
            () => DispatchInvariance.Check(s_items, static () => new ReadsTheFirstSpanOnly(isMended: false), static handler => handler.Sum));
        Assert.Equal((3, "1 2"), (found.Items, string.Join(' ', found.Cut)));
    }

    [Fact]
    public void Check_FaultThatCostsAnItem_NamesOneItem()
    {
        InvarianceException found = Assert.Throws<InvarianceException>(() => DispatchInvariance.Check(s_items, static trial =>
        {
            var table = new Table(trial.Faults);
            trial.Pipeline.Stage("write", new SwallowsFaults(table, isMended: false));
            return table;
        }, static table => table.Rows));
        Assert.Equal((1, "1"), (found.Items, string.Join(' ', found.Cut)));
    }

    [Fact]
    public void Check_WithoutFaults_LetsNoVisitFail() => DispatchInvariance.Check(s_items, static trial =>
    {
        var table = new Table(trial.Faults);
        trial.Pipeline.Stage("write", new SwallowsFaults(table, isMended: false));
        return table;
    }, static table => table.Rows, new InvarianceOptions { Faults = false });

    [Fact]
    public void Check_HandlerHangs_SaysSo()
    {
        using var never = new ManualResetEventSlim();
        InvarianceException found = Assert.Throws<InvarianceException>(() => DispatchInvariance.Check(s_items, trial =>
        {
            trial.Pipeline.Stage("hangs", (ref long _) => never.Wait());
            return 0;
        }, static result => result, new InvarianceOptions { Limit = TimeSpan.FromMilliseconds(100) }));
        Assert.Contains("no end within", found.Message, StringComparison.Ordinal);
        never.Set();
    }

    [Fact]
    public void Check_DefinitionNeedsMoreSlots_GetsThem() => DispatchInvariance.Check(s_items, static trial =>
    {
        var recorder = new Recorder<long>();
        trial.Pipeline.MultiProducer(4).Stage("first", static (ref long item) => item++, Dispatch.Batch(min: 30, maxAge: TimeSpan.FromSeconds(1)))
            .Stage("seen", recorder);
        return recorder;
    }, static recorder => recorder.Items);

    [Fact]
    public void Check_Results_AreComparedByWhatTheyHold()
    {
        DispatchInvariance.Check(s_items, static () => new Recorder<long>(), static recorder => recorder.Items.ToDictionary(static item => item, static item => new[] { item }));
        DispatchInvariance.Check(s_items, static () => new Recorder<long>(), static recorder => (recorder.Items.ToArray(), $"{recorder.Items[^1]}"));
        DispatchInvariance.Check(s_items, static () => new Recorder<long>(), static recorder => recorder.Items.ToHashSet());
    }

    [Fact]
    public void Check_SetsFilledInAnotherOrder_AreTheSame()
    {
        DispatchInvariance.Check(s_items, static () => new Recorder<long>(), static recorder =>
            (recorder.Batches.Count % 2 == 0 ? recorder.Items : recorder.Items.Reverse()).ToHashSet());
        Assert.Throws<InvarianceException>(static () => DispatchInvariance.Check(
            s_items, static () => new Recorder<long>(), static recorder => recorder.Batches.ToHashSet()));
    }

    /// <summary>What all runs share holds, at the end, the same for all of them.</summary>
    [Fact]
    public void Check_ResultSharedByTheRuns_IsFound()
    {
        List<long> rows = [];
        Func<Trial<long>, List<long>> define = trial =>
        {
            trial.Pipeline.Stage("write", (ref long item) => rows.Add(item));
            return rows;
        };
        Action[] checks =
        [
            () => DispatchInvariance.Check(s_items, define, static state => state),
            () => DispatchInvariance.Check(s_items, define, static state => state.Order()),
            () => DispatchInvariance.Check(s_items, define, static state => (1, new Dictionary<int, List<long>> { [1] = state })),
        ];
        foreach (Action check in checks)
        {
            rows.Clear();
            Assert.Equal("The same run must give the same result twice.", Assert.Throws<InvarianceException>(check).Rule);
        }
    }

    /// <summary>A timer that is set before the run, and rings again and again.</summary>
    [Fact]
    public void Check_HandlerHasAPeriodicTimer_IsTriedUnderEveryPlan() =>
        DispatchInvariance.Check(s_items, static trial =>
        {
            var handler = new AwaitsATick(trial.Time);
            trial.Pipeline.Stage("await", handler);
            return handler;
        }, static handler => handler.Sum, new InvarianceOptions { CutLength = 2, Seeds = 1 });

    [Fact]
    public void Check_WrongValues_AreRefused()
    {
        Func<Recorder<long>> create = static () => new Recorder<long>();
        Func<Recorder<long>, int> result = static recorder => recorder.Items.Count;
        Assert.Throws<ArgumentNullException>(() => DispatchInvariance.Check<long, Recorder<long>, int>(null!, create, result));
        Assert.Throws<ArgumentNullException>(() => DispatchInvariance.Check(s_items, (Func<Recorder<long>>)null!, result));
        Assert.Throws<ArgumentNullException>(() => DispatchInvariance.Check<long, Recorder<long>, int>(s_items, create, null!));
        Assert.Throws<ArgumentNullException>(() => DispatchInvariance.Check<long, int, int>(s_items, (Func<Trial<long>, int>)null!, static state => state));
        Assert.Throws<ArgumentException>(() => DispatchInvariance.Check(Array.Empty<long>(), create, result));
        foreach (InvarianceOptions wrong in new InvarianceOptions[] { new() { CutLength = 0 }, new() { CutLength = 13 }, new() { Seeds = -1 }, new() { Limit = TimeSpan.Zero }, new() { Plans = [Plan.Manual] }, new() { Plans = null! } })
            Assert.ThrowsAny<ArgumentException>(() => DispatchInvariance.Check(s_items, create, result, wrong));
        InvarianceException early = Assert.Throws<InvarianceException>(static () => DispatchInvariance.Check(s_items, static trial =>
        {
            trial.Publisher.Publish(1);
            return 0;
        }, static state => state));
        Assert.IsType<InvalidOperationException>(early.InnerException);
    }

    private sealed class AwaitsATick : IAsyncBatchHandler<long>, IStageLifetime
    {
        private readonly ITimer _timer;
        private TaskCompletionSource _tick = new();

        public AwaitsATick(VirtualTime time) => _timer = time.CreateTimer(
            _ => Interlocked.Exchange(ref _tick, new TaskCompletionSource()).SetResult(), null, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1));

        public long Sum { get; private set; }

        public async ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation)
        {
            await Volatile.Read(ref _tick).Task;
            for (int i = 0; i < batch.Count; i++) Sum += batch[i];
        }

        public void OnStart()
        {
        }

        public void OnStop() => _timer.Dispose();
    }

    private sealed class WrongTogether(long one, long other) : IBatchHandler<long>
    {
        public long Sum { get; private set; }

        public void OnBatch(Batch<long> batch)
        {
            long[] items = batch.ToArray();
            bool isWrong = items.Contains(one) && items.Contains(other);
            Sum += isWrong ? items.Sum() - other : items.Sum();
        }
    }
}
