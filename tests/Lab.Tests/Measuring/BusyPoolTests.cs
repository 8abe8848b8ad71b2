using Raceway.Lab.Tests.Suites.Batching;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Measuring;

/// <summary>A run is cut also while the whole thread pool is held up. Never beside tests that need the pool.</summary>
[Collection(nameof(WorkTests))]
public sealed class BusyPoolTests
{
    [Fact]
    public void Run_TheThreadPoolIsBusy_IsCutAllTheSame()
    {
        // More than the pool ever gets threads for, within the time of a test; they are queued before anything else.
        const int blockers = 500;
        int begun = 0;
        bool? onPool = null;
        using var end = new ManualResetEvent(false);
        for (int i = 0; i < blockers; i++)
        {
            ThreadPool.UnsafeQueueUserWorkItem(_ =>
            {
                Interlocked.Increment(ref begun);
                end.WaitOne();
                Interlocked.Decrement(ref begun);
            }, null);
        }

        RunOutcome outcome;
        int begunAtEnd;
        try
        {
            outcome = GuardedRun.Run(new ListeningContestant(pool => onPool = pool), 1, TimeSpan.FromMilliseconds(50), default);
            begunAtEnd = Volatile.Read(ref begun);
        }
        finally
        {
            end.Set();
        }

        SpinWait.SpinUntil(() => ThreadPool.PendingWorkItemCount == 0 && Volatile.Read(ref begun) == 0, TimeSpan.FromMinutes(1));
        Assert.True(outcome is { TooLong: true, Abandoned: false });
        Assert.False(onPool);
        Assert.InRange(begunAtEnd, 0, blockers - 1);
    }

    /// <summary>Runs until it is cancelled, and tells on which kind of thread it was.</summary>
    private sealed class ListeningContestant(Action<bool> tell) : IContestant
    {
        public string Name => "listens";

        public int BusyThreads => 1;

        public Sample Run(long operations, CancellationToken cancellation)
        {
            using var told = new ManualResetEventSlim();
            // The token's wait handle is signalled before what is registered runs: a run that went by it could end unheard.
            using CancellationTokenRegistration on = cancellation.Register(() =>
            {
                tell(Thread.CurrentThread.IsThreadPoolThread);
                told.Set();
            });
            told.Wait(CancellationToken.None);
            throw new OperationCanceledException(cancellation);
        }
    }
}
