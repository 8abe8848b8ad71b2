using System.Diagnostics;
using Raceway.Measuring;

namespace Raceway.Suites.PlansSuite;

/// <summary>Pipelines that get a few items, or none. What counts is the processor time of the whole program meanwhile.</summary>
/// <remarks>An operation is a pause of the caller's, and behind it an item for each of the next few pipelines. The pipelines are built for
/// each round, so that the other contestants' rounds have none. Each has handled an item before the round.</remarks>
/// <param name="name">The name in the rows.</param>
/// <param name="load">How many pipelines, and what they get.</param>
internal abstract class QuietContestant(string name, QuietLoad load) : ScenarioContestant(name)
{
    private static readonly TimeSpan s_most = TimeSpan.FromSeconds(10);

    private readonly long[] _seen = new long[load.Pipelines];
    private long _handled;
    private long _published;
    private int _next;
    private bool _inOrder;
    private int _threadsBefore;

    /// <inheritdoc/>
    protected override void Prepare(long operations)
    {
        _threadsBefore = Threads();
        Array.Clear(_seen);
        (_handled, _published, _next, _inOrder) = (0, 0, 0, true);
        for (int i = 0; i < load.Pipelines; i++) Start(i);
        PublishToNext(load.Pipelines);
        if (AreHandled()) return;
        throw new InvalidOperationException(
            $"{Name}: {load.Pipelines - Interlocked.Read(ref _handled)} of {load.Pipelines} pipelines have not handled their first item within {s_most.TotalSeconds} s.");
    }

    /// <inheritdoc/>
    protected override void Work(long operations, CancellationToken cancellation)
    {
        for (long i = 0; i < operations && !cancellation.IsCancellationRequested; i++)
        {
            Thread.Sleep(load.Pause);
            PublishToNext(load.ItemsAPause);
        }
    }

    /// <inheritdoc/>
    protected override bool Finish(long operations, out IReadOnlyList<Count> further)
    {
        bool handled = AreHandled();
        further = [new(Figures.ThreadsMore, Figures.UnitOf(Figures.ThreadsMore), Threads() - _threadsBefore)];
        for (int i = 0; i < load.Pipelines; i++) StopAsync(i).GetAwaiter().GetResult();
        return handled && _inOrder && _handled == _published && _seen.Sum() == _published;
    }

    /// <summary>Builds and runs the pipeline at <paramref name="index"/>.</summary>
    protected abstract void Start(int index);

    /// <summary>Publishes <paramref name="item"/> to the pipeline at <paramref name="index"/>.</summary>
    protected abstract void Publish(int index, long item);

    /// <summary>Ends that pipeline; all its items have been handled.</summary>
    protected abstract Task StopAsync(int index);

    /// <summary>The last stage of that pipeline has it; each of the five stages has added one.</summary>
    protected void Handled(int index, long item)
    {
        if (item != _seen[index]++ + QuietLoad.Stages) Volatile.Write(ref _inOrder, false);
        Interlocked.Increment(ref _handled);
    }

    private void PublishToNext(int items)
    {
        for (int i = 0; i < items; i++)
        {
            Publish(_next, _published++ / load.Pipelines);
            _next = (_next + 1) % load.Pipelines;
        }
    }

    private bool AreHandled() => SpinWait.SpinUntil(() => Interlocked.Read(ref _handled) >= _published, s_most);

    private static int Threads()
    {
        using var process = Process.GetCurrentProcess();
        return process.Threads.Count;
    }
}

/// <summary>How many pipelines there are, and what they get.</summary>
/// <param name="Pipelines">How many; 0: a program that has none.</param>
/// <param name="Pause">How long the caller sleeps at a time, the same for all contestants.</param>
/// <param name="ItemsAPause">Items that it publishes behind each pause, to one pipeline after another; 0: the pipelines are idle.</param>
internal readonly record struct QuietLoad(int Pipelines, TimeSpan Pause, int ItemsAPause)
{
    /// <summary>Of each pipeline.</summary>
    public const int Stages = 5;
}
