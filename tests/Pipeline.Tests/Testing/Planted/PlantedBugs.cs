using Raceway.Rings;
using Raceway.Testing;

namespace Raceway.Pipelines.Tests.Testing.Planted;

/// <summary>Bugs of handlers, each with the check that a user of the kit would write. Given true, the corrected twin is checked.</summary>
internal static class PlantedBugs
{
    private static readonly long[] s_items = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

    /// <summary>The rule that finds it, and the check.</summary>
    public static IReadOnlyDictionary<string, (string Rule, Action<bool> Check)> All { get; } = new Dictionary<string, (string, Action<bool>)>
    {
        ["depends on batch boundaries"] = (Cut, mended => Check(() => new AveragesEachBatch(mended), static handler => handler.Averages)),
        ["forgets the last item"] = (Cut, mended => Check(() => new ForgetsTheLastItem(mended), static handler => handler.Sum)),
        ["resets its sum per batch"] = (Cut, mended => Check(() => new ResetsItsSum(mended), static handler => handler.Sums)),
        ["assumes full batches"] = (Cut, mended => Check(() => new AssumesFullBatches(mended), static handler => handler.Sum)),
        ["reads the first span only"] = (Cut, mended => Check(() => new ReadsTheFirstSpanOnly(mended), static handler => handler.Sum)),
        ["drops under load"] = (Cut, mended => Check(() => new DropsUnderLoad(mended), static handler => handler.Rows)),
        ["keeps the batch"] = (Once, mended => Check(() => new KeepsTheBatch(mended), static handler => handler.Steps)),
        ["counts in a static field"] = (Twice, mended => Check(() => new CountsInAStaticField(mended), static handler => handler.Count)),
        ["loses its buffer upon retry"] = (Fault, mended => CheckRows((table, _) => new LosesItsBufferUponRetry(table, mended))),
        ["writes again upon retry"] = (Fault, mended => CheckRows((table, _) => new WritesAgainUponRetry(table, mended))),
        ["counts before it writes"] = (Fault, CountsTwice),
        ["marks before it writes"] = (Fault, mended => CheckRows((table, _) => new MarksBeforeItWrites(table, mended))),
        ["swallows faults"] = (Fault, mended => CheckRows((table, _) => new SwallowsFaults(table, mended))),
        ["offers again what it has done"] = (Fault, mended => CheckRows((table, _) => new OffersAgainWhatItHasDone(table, mended))),
        ["does not await its write"] = (Once, mended => CheckRows((table, trial) => new DoesNotAwaitItsWrite(table, trial.Time, mended))),
        ["publishes into its own ring"] = (Cut, PublishesIntoItsOwn),
        ["state shared by workers"] = (Once, mended => ByWorkers(worker => mended ? worker : 0, mended)),
        ["a worker that counts on every item"] = (Seed, mended => ByWorkers(static worker => worker, mended)),
        ["order across lanes"] = (Cut, OrderAcrossLanes),
        ["two stages beside each other write one field"] = (Seed, WriteOneField),
        ["reads what the last lap has left"] = (Plan, ReadsTheLastLap),
        ["keeps the slot"] = ("No handler may keep the object of a slot: the next lap fills it anew.", KeepsASlot),
        ["writes outside its batch"] = ("A handler writes only to the items that it is given.", WritesOutside),
        ["minimum without an age"] = ("Every item must be handled, also if no further one comes.", MinimumWithoutAge),
        ["never gives up"] = ("Every item must be handled, also if no further one comes.", NeverGivesUp),
        ["fails at its end"] = ("A pipeline must not fault.", FailsAtItsEnd),
        ["goes by the wall clock"] = ("These items must come out: [0, 1, 2].", GoesByTheWallClock),
    };

    private const string Once = "Each item must be handled, one by one.";
    private const string Twice = "The same run must give the same result twice.";
    private const string Cut = "The result must not depend on how the items are cut into batches.";
    private const string Fault = "A fault that a retry mends must not change the result.";
    private const string Seed = "The result must not depend on when each stage runs.";
    private const string Plan = "The result must not depend on the plan.";

    private static void Check<THandler, TResult>(Func<THandler> create, Func<THandler, TResult> result)
        where THandler : class, IStageHandler<long> => DispatchInvariance.Check(s_items, create, result);

    private static void CheckRows<THandler>(Func<Table, Trial<long>, THandler> create)
        where THandler : class, IStageHandler<long> =>
        DispatchInvariance.Check(s_items, trial =>
        {
            var table = new Table(trial.Faults);
            trial.Pipeline.Stage("write", create(table, trial));
            return table;
        }, static table => table.Rows);

    private static void CountsTwice(bool isMended) => DispatchInvariance.Check(s_items, trial =>
    {
        var handler = new CountsBeforeItWrites(new Table(trial.Faults), isMended);
        trial.Pipeline.Stage("write", handler);
        return handler;
    }, static handler => handler.Count);

    private static void PublishesIntoItsOwn(bool isMended) => DispatchInvariance.Check(s_items, trial =>
    {
        var handler = new PublishesIntoItsOwnRing(trial.Publisher, isMended);
        trial.Pipeline.Stage("double", handler);
        return handler;
    }, static handler => handler.Rows);

    private static void ByWorkers(Func<int, int> handlerOf, bool isMended) => DispatchInvariance.Check([.. Enumerable.Range(1, 60).Select(static item => (long)item)], trial =>
    {
        ComparesWithTheItemBefore[] handlers = [new(isMended), new(isMended)];
        trial.Pipeline.Workers("compare", 2, worker => handlers[handlerOf(worker)]);
        return handlers;
    }, static handlers => handlers.SelectMany(static handler => handler.Steps).Order(), new InvarianceOptions { Plans = [] });

    private static void OrderAcrossLanes(bool isMended) => DispatchInvariance.Check(s_items, trial =>
    {
        List<long> all = [];
        ListsAcrossLanes[] lanes = [new(all, isMended), new(all, isMended)];
        trial.Pipeline.Lanes("list", 2, static (ref readonly long item) => item, lane => lanes[lane]);
        return lanes;
    }, lanes => isMended ? [.. lanes.SelectMany(static lane => lane.Mine).Order()] : lanes[0].All, new InvarianceOptions { Plans = [] });

    private static void WriteOneField(bool isMended) => DispatchInvariance.Check(s_items, trial =>
    {
        var seen = new Recorder<long>();
        static void Add(PipelineBuilder<long, long> branch) => branch.Stage("add", static (ref long item) => item += 1);
        static void Double(PipelineBuilder<long, long> branch) => branch.Stage("double", static (ref long item) => item *= 2);
        if (isMended) Double(trial.Pipeline.Stage("add", static (ref long item) => item += 1));
        else trial.Pipeline.Fork(Add, Double);
        trial.Pipeline.Stage("seen", seen);
        return seen;
    }, static seen => seen.Items, new InvarianceOptions { Plans = [] });

    private static void ReadsTheLastLap(bool isMended) => DispatchInvariance.Check([.. Enumerable.Range(1, 20).Select(static n => new Order { Number = n })], trial =>
    {
        var totals = new List<long>();
        trial.FillBy(static (ref Order slot, Order given) => slot.Number = given.Number);
        trial.Pipeline.Configure(static ring => ring with { CreateSlot = static () => new Order() })
            .Stage("add", (ref Order order) =>
            {
                if (isMended) order.Total = 0;
                order.Total += order.Number;
                totals.Add(order.Total);
            });
        return totals;
    }, static totals => totals);

    private static void KeepsASlot(bool isMended)
    {
        var handler = new KeepsTheSlot(isMended);
        using PipelineHarness<Order> harness = PipelineHarness.Run(
            Pipeline.Of<Order>(8).Configure(static ring => ring with { CreateSlot = static () => new Order() }).Stage("highest", handler));
        for (long total = 1; total <= 20; total++) harness.Source.Send(total, static (ref Order order, long given) => order.Total = given);
        harness.Finish();
        Assert.Equal(20, handler.Highest);
    }

    private static void WritesOutside(bool isMended)
    {
        var handler = new MarksTheNextItem(isMended);
        using PipelineHarness<long> harness = PipelineHarness.Run(Pipeline.Of<long>(16).Stage("mark", handler), new() { MostPerStep = 1 });
        handler.Slots = harness.Pipeline.Ring.Slots;
        harness.Source.Send(s_items);
        harness.Finish();
    }

    private static void MinimumWithoutAge(bool isMended)
    {
        Dispatch dispatch = Dispatch.Batch(min: 4, maxAge: isMended ? TimeSpan.FromSeconds(1) : null);
        var seen = new Recorder<long>();
        using PipelineHarness<long> harness = PipelineHarness.Run(Pipeline.Of<long>(16).Stage("write", seen, dispatch));
        harness.Source.Send(1, 2);
        harness.Settle();
        Assert.Equal([1, 2], seen.Items);
    }

    private static void NeverGivesUp(bool isMended)
    {
        using PipelineHarness<long> harness = PipelineHarness.Run(Pipeline.Of<long>(16).Stage("try", new NeverGivesUp(isMended)));
        harness.Source.Send(s_items);
        harness.Settle();
        Assert.Equal(TimeSpan.FromMinutes(5), harness.Time.Elapsed);
    }

    private static void FailsAtItsEnd(bool isMended)
    {
        var handler = new FailsAtItsEnd(isMended);
        using PipelineHarness<long> harness = PipelineHarness.Run(Pipeline.Of<long>(16).Stage("write", handler));
        harness.Source.Send(s_items);
        harness.Finish();
        Assert.Equal(s_items.Length, handler.Written);
    }

    private static void GoesByTheWallClock(bool isMended)
    {
        var time = new VirtualTime();
        var handler = new GoesByTheWallClock(time, isMended);
        using PipelineHarness<long> harness = PipelineHarness.Run(Pipeline.Of<long>(16).Stage("minute", handler).Poller("out"), new() { Time = time });
        SinkProbe<long> sink = harness.Sink<long>("out");
        for (int minute = 0; minute < 3; minute++)
        {
            harness.Source.Send(-1);
            harness.Advance(TimeSpan.FromMinutes(1));
        }

        sink.Expect(0, 1, 2);
    }
}
