using System.Runtime.CompilerServices;
using System.Text;

namespace Raceway.Rings.Tests;

/// <summary>
/// The only clock of these tests: where nothing moves for thirty seconds something hangs, and the test fails with the ring's
/// positions. A slow machine is no hang, and seconds in which the machine did not run this process are not counted.
/// </summary>
internal static class Watchdog
{
    private const int MostLooks = 12;
    private const int MostSeconds = 30;

    /// <param name="task">What must complete.</param>
    /// <param name="ring">Whose positions tell whether anything moves.</param>
    /// <param name="progress">The same, where there is no ring.</param>
    /// <param name="what">For the message.</param>
    public static async Task Await(
        Task task, Ring? ring = null, Func<long>? progress = null,
        [CallerArgumentExpression(nameof(task))] string what = "")
    {
        long last = Moved(ring, progress);
        for (int looks = 1; !await CompletesInTime(task); looks++)
        {
            long now = Moved(ring, progress);
            if (now == last || looks == MostLooks) Assert.Fail($"Hangs at {now}: {what}\n{Pool()}\n{Dump(ring)}");
            last = now;
        }

        await task;
    }

    public static async Task<T> Await<T>(
        Task<T> task, Ring? ring = null, [CallerArgumentExpression(nameof(task))] string what = "")
    {
        await Await((Task)task, ring, null, what);
        return await task;
    }

    /// <summary>Waits until <paramref name="condition"/> holds.</summary>
    public static async Task Until(
        Func<bool> condition, Ring? ring = null, [CallerArgumentExpression(nameof(condition))] string what = "")
    {
        bool stop = false;
        Task looking = Task.Run(async () =>
        {
            for (int looks = 0; !condition() && !Volatile.Read(ref stop); looks++)
            {
                if (looks < 100) await Task.Yield();
                else await Task.Delay(1);
            }
        });
        try
        {
            await Await(looking, ring, null, what);
        }
        finally
        {
            Volatile.Write(ref stop, true);
        }
    }

    private static async Task<bool> CompletesInTime(Task task)
    {
        for (int seconds = 0; seconds < MostSeconds && !task.IsCompleted; seconds++)
        {
            using var over = new CancellationTokenSource();
            await Task.WhenAny(task, Task.Delay(TimeSpan.FromSeconds(1), over.Token));
            await over.CancelAsync();
        }

        return task.IsCompleted;
    }

    private static long Moved(Ring? ring, Func<long>? progress) =>
        progress?.Invoke() ?? (ring is null ? 0 : ring.Claims.ClaimedThrough + ring.Stages.Sum(stage => stage.Position));

    /// <summary>Runs <paramref name="body"/> on a thread of its own; the task has its exception.</summary>
    public static Task Run(Action body) =>
        Task.Factory.StartNew(body, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    public static Task<T> Run<T>(Func<T> body) =>
        Task.Factory.StartNew(body, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    /// <summary>A thread of its own that can be interrupted.</summary>
    public static (Thread Thread, Task<Exception?> Ended) RunThread(Action body)
    {
        var ended = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        var thread = new Thread(() => ended.SetResult(Record.Exception(body))) { IsBackground = true };
        thread.Start();
        return (thread, ended.Task);
    }

    private static string Pool() =>
        $"pool: {ThreadPool.ThreadCount} threads, {ThreadPool.PendingWorkItemCount} waiting, "
        + $"{ThreadPool.CompletedWorkItemCount} done";

    public static string Dump(Ring? ring)
    {
        if (ring is null) return "";
        var text = new StringBuilder();
        Sequencer sequencer = ring.Sequencer;
        text.Append(
            $"ring {ring.State}: capacity {ring.Capacity}, claimed {ring.Claims.ClaimedThrough}, "
            + $"published {sequencer.PublishedThrough()}, released {sequencer.ReleasedThrough()}\n");
        text.Append($"  cursor: {Peek.Waiters(sequencer.Cursor)}\n");
        foreach (Stage stage in ring.Stages)
        {
            StageStatistics seen = stage.GetStatistics();
            text.Append($"  {stage.Name}: at {stage.Position}, lag {stage.Lag}, items {seen.Items}, waits {seen.Waits}, "
                + $"parks {seen.Parks}, faults {seen.Faults}, tombstones {seen.Tombstones}; {Peek.Waiters(stage.Done)}\n");
        }

        return text.ToString();
    }
}
