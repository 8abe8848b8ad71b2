using System.Diagnostics;
using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Suites.PlansSuite;

/// <summary>Pipelines that have handled an item each and wait for the next. What counts is what they cost meanwhile.</summary>
/// <remarks>An operation is a pause of <see cref="Pause"/>. The pipelines are built for each round, so that the other
/// contestants' rounds have none.</remarks>
/// <param name="name">The name in the rows.</param>
/// <param name="pipelines">How many; 0 for a program that has none.</param>
internal sealed class IdleContestant(string name, int pipelines) : ScenarioContestant(name)
{
    /// <summary>How long the caller sleeps at a time, the same for all contestants.</summary>
    public static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(10);

    private readonly Pipeline<long>[] _pipelines = new Pipeline<long>[pipelines];
    private long _handled;
    private int _threadsBefore;

    /// <inheritdoc/>
    protected override void Prepare(long operations)
    {
        _threadsBefore = Threads();
        _handled = 0;
        for (int i = 0; i < _pipelines.Length; i++)
        {
            _pipelines[i] = Build().Run();
            using SingleProducer<long> producer = _pipelines[i].CreateProducer();
            producer.Publish(i);
        }

        var wait = new SpinWait();
        while (Interlocked.Read(ref _handled) < _pipelines.Length) wait.SpinOnce();
    }

    /// <inheritdoc/>
    protected override void Work(long operations, CancellationToken cancellation)
    {
        for (long i = 0; i < operations && !cancellation.IsCancellationRequested; i++) Thread.Sleep(Pause);
    }

    /// <inheritdoc/>
    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        further = [new(Figures.ThreadsMore, Figures.UnitOf(Figures.ThreadsMore), Threads() - _threadsBefore)];
        bool handled = Interlocked.Read(ref _handled) == _pipelines.Length;
        foreach (Pipeline<long> pipeline in _pipelines) pipeline.DisposeAsync().AsTask().GetAwaiter().GetResult();
        return handled;
    }

    private PipelineBuilder<long, long> Build() => Pipeline.Of<long>(1024)
        .Stage("first", static (ref long item) => item++)
        .Stage("second", static (ref long item) => item++)
        .Stage("third", static (ref long item) => item++)
        .Stage("fourth", static (ref long item) => item++)
        .Stage("last", (ref long _) => Interlocked.Increment(ref _handled));

    private static int Threads()
    {
        using var process = Process.GetCurrentProcess();
        return process.Threads.Count;
    }
}
