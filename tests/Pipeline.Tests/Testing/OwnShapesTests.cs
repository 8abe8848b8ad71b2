using Raceway.Rings;
using Raceway.Testing;

namespace Raceway.Pipelines.Tests.Testing;

/// <summary>What the shapes of a pipeline promise holds under every cut, order of steps and plan.</summary>
public sealed class OwnShapesTests
{
    private static readonly long[] s_items = [.. Enumerable.Range(0, 24).Select(static item => (long)item)];

    [Fact]
    public void Lanes_EachKey_KeepsItsOrder() => DispatchInvariance.Check(s_items, static trial =>
    {
        var keys = new Recorder<long>[5];
        for (int key = 0; key < keys.Length; key++) keys[key] = new Recorder<long>();
        trial.Pipeline.Lanes("lane", 2, static (ref readonly long item) => item % 5, (ref long item) => keys[item % 5].OnBatch(new Batch<long>(new Span<long>(ref item))));
        return keys;
    }, static keys => keys.Select(static key => key.Items));

    [Fact]
    public void Map_SeveralWorkers_KeepsTheOrder() => DispatchInvariance.Check(s_items, static trial =>
    {
        var texts = new Recorder<string>();
        trial.Pipeline.Map("text", static (ref long item, ref string text) => text = $"{item}", workers: 3).Stage("texts", texts);
        return texts;
    }, static texts => texts.Items);

    [Fact]
    public void Expand_ItemsOfOne_StayTogether() => DispatchInvariance.Check(s_items, static trial =>
    {
        var parts = new Recorder<(long, int)>();
        trial.Pipeline.Expand<(long, int)>("parts", 8, static (ref long item, Emitter<(long, int)> output) =>
        {
            for (int part = 0; part < item % 4; part++) output.Emit((item, part));
        }).Stage("seen", parts);
        return parts;
    }, static parts => parts.Items);

    [Fact]
    public void Fork_FilterInOneBranch_JoinsAgain() => DispatchInvariance.Check(s_items, static trial =>
    {
        var odd = new Recorder<long>();
        var all = new Recorder<long>();
        trial.Pipeline
            .Fork(branch => branch.Filter("odd", static (ref readonly long item) => item % 2 == 1).Stage("seen", odd), branch => branch.Stage("other", static (ref long _) => { }))
            .Stage("all", all);
        return (odd, all);
    }, static run => (run.odd.Items, run.all.Items));

    [Fact]
    public void Workers_ItemsAreRetried_HandleEachOnce() => DispatchInvariance.Check(s_items, static trial =>
    {
        var done = new List<long>();
        trial.Pipeline.Workers("work", 3, (ref long item) =>
        {
            trial.Faults.Visit();
            lock (done) done.Add(item);
        });
        return done;
    }, static done => done.Order());

    [Fact]
    public void Async_AwaitsVirtualTime_KeepsTheOrder() => DispatchInvariance.Check(s_items, static trial =>
    {
        var slow = new Slow(trial.Time, trial.Faults);
        trial.Pipeline.Stage("slow", slow, new() { HandlerTimeout = TimeSpan.FromHours(1) });
        return slow;
    }, static slow => slow.Seen);

    private sealed class Slow(TimeProvider time, FaultPoints faults) : IAsyncBatchHandler<long>
    {
        public List<long> Seen { get; } = [];

        public async ValueTask OnBatchAsync(AsyncBatch<long> batch, CancellationToken cancellation)
        {
            await Task.Delay(TimeSpan.FromMinutes(1), time, cancellation);
            faults.Visit();
            foreach (long item in batch) Seen.Add(item);
        }
    }
}
