using System.Diagnostics;
using System.Globalization;
using System.Text;
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

Console.WriteLine($"{timings.Items} items in {timings.Calls} calls, each timed: {timings.Ticks > 0}");

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

/// <summary>Looks a hundred times, then sleeps: little processor time, and late by one sleep.</summary>
internal sealed class SleepyWait(TimeSpan sleep) : PolledWait("sleepy")
{
    protected override PolledWaiter CreateWaiter(bool isProducer, int capacity) => new Sleeper(sleep);

    private sealed class Sleeper(TimeSpan sleep) : PolledWaiter
    {
        public override void Wait(WaitView target)
        {
            for (int i = 0; i < 100; i++)
            {
                if (target.IsOver || target.IsDue) return;
                Thread.SpinWait(10);
            }

            Thread.Sleep(sleep);
        }
    }
}

/// <summary>A stage that times the calls of its handler.</summary>
internal sealed class Timed<T>(Timings timings, SlotAction<T> action) : StageKind<T>
{
    public override Stage Attach(StageSite<T> site) => site.Attach(new Handler(timings, action));

    private sealed class Handler(Timings timings, SlotAction<T> action) : IBatchHandler<T>
    {
        public void OnBatch(Batch<T> batch)
        {
            long from = Stopwatch.GetTimestamp();
            int done = 0;
            foreach (ref T item in batch)
            {
                action(ref item);
                // An item behind it may fail: this one is not handled again.
                batch.Complete(++done);
            }

            timings.Add(batch.Count, Stopwatch.GetTimestamp() - from);
        }
    }
}

/// <summary>What was timed, by any of the threads that share the work.</summary>
internal sealed class Timings
{
    private long _calls;
    private long _items;
    private long _ticks;

    public long Calls => Volatile.Read(ref _calls);

    public long Items => Volatile.Read(ref _items);

    public long Ticks => Volatile.Read(ref _ticks);

    public void Add(int items, long ticks)
    {
        Interlocked.Increment(ref _calls);
        Interlocked.Add(ref _items, items);
        Interlocked.Add(ref _ticks, ticks);
    }
}

/// <summary>A source and a sink: the numbers of a text, a line each.</summary>
internal static class Numbers
{
    /// <summary>Brings what the text holds into the pipeline, and says its end, or what it has failed with.</summary>
    public static async Task ReadAsync(TextReader text, Pipeline<long> pipeline, CancellationToken cancellation)
    {
        try
        {
            // A line that was read cannot be given back: it is published to its end.
            while (await text.ReadLineAsync(cancellation) is { } line)
                await pipeline.Publisher.PublishAsync(long.Parse(line, CultureInfo.InvariantCulture), CancellationToken.None);
        }
        catch (Exception error) when (error is not OperationCanceledException)
        {
            pipeline.TryComplete(error);
            throw;
        }

        pipeline.TryComplete();
    }

    /// <summary>Writes what the poller gives, with one flush a batch, until the pipeline's end.</summary>
    public static async Task WriteAsync(Poller<long> poller, TextWriter text, CancellationToken cancellation)
    {
        while (WriteBatch(poller, text) is var status and not PollStatus.Ended)
        {
            cancellation.ThrowIfCancellationRequested();
            if (status == PollStatus.Items) await text.FlushAsync(cancellation);
            else await poller.WaitAsync(cancellation);
        }

        // Throws where the pipeline has faulted, or was halted with items inside.
        await poller.Completion;
    }

    private static PollStatus WriteBatch(Poller<long> poller, TextWriter text)
    {
        using PolledBatch<long> batch = poller.Poll(256);
        int done = 0;
        try
        {
            foreach (ref long item in batch)
            {
                text.WriteLine(item);
                done++;
            }
        }
        catch (Exception fault)
        {
            // Those before it are written, and must not come again.
            batch.Items.Complete(done);
            batch.Fail(fault);
        }

        return batch.Status;
    }
}

/// <summary>A text that cannot be read.</summary>
internal sealed class Broken(Exception error) : TextReader
{
    public override ValueTask<string?> ReadLineAsync(CancellationToken cancellationToken) => ValueTask.FromException<string?>(error);
}

/// <summary>A text that tells what is written.</summary>
internal sealed class Told(Action<long> take) : TextWriter
{
    public override Encoding Encoding => Encoding.UTF8;

    public override void WriteLine(long value) => take(value);

    public override Task FlushAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
