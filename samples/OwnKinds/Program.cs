using Raceway.Pipelines;
using Raceway.Rings;
using Raceway.Testing;

// A wait strategy, a kind of stage, a source and a sink that Raceway does not have, written here, on its public types alone.
var timings = new Timings();
await using (Pipeline<long> pipeline = Pipeline.Of<long>(1024)
    .WaitWith(new SleepyWait(TimeSpan.FromMilliseconds(1)))
    .Stage("root", new Timed<long>(timings, static (ref long item) => item = (long)Math.Sqrt(item)))
    .Poller("roots")
    .Run())
{
    var roots = new StringWriter();
    Task writing = Numbers.WriteAsync(pipeline.GetPoller<long>("roots"), roots, CancellationToken.None);
    await Numbers.ReadAsync(new StringReader(string.Join('\n', Enumerable.Range(0, 10_000))), pipeline, CancellationToken.None);
    await writing;
    Console.WriteLine($"{roots.ToString().Count(static c => c == '\n')} roots written, the pipeline has {pipeline.State}");
}

Console.WriteLine($"{timings.Items} items, in no more calls: {timings.Calls <= timings.Items}; timed: {timings.Ticks > 0}");

// What Raceway's own strategies and kinds are held to.
WaitContract.Check(new SleepyWait(TimeSpan.FromMilliseconds(1)));
Console.WriteLine("the wait strategy keeps its contract");
StageKindContract.Check(action => new Timed<long>(new Timings(), action));
Console.WriteLine("the kind of stage keeps its contract");
// Of every dispatch, cut into batches, fault, order of steps and plan the same roots.
InvarianceReport tried = DispatchInvariance.Check([.. Enumerable.Range(0, 12).Select(static n => (long)n * n)], static trial =>
{
    var roots = new Recorder<long>();
    trial.Pipeline.Stage("root", new Timed<long>(new Timings(), static (ref long item) => item = (long)Math.Sqrt(item))).Stage("roots", roots);
    return roots;
}, static roots => roots.Items);
Console.WriteLine($"the kind of stage gives the same in {tried.Cuts} runs by cuts, {tried.Seeds} by seeds and {tried.Plans} by plans");
SourceContract.Check((pipeline, items, token) => Numbers.ReadAsync(new StringReader(string.Join('\n', items)), pipeline, token));
SourceContract.CheckFailure((pipeline, error, token) => Numbers.ReadAsync(new Broken(error), pipeline, token));
Console.WriteLine("the source keeps its contract");
SinkContract.Check((poller, take, token) => Numbers.WriteAsync(poller, new Told(take), token));
Console.WriteLine("the sink keeps its contract");
