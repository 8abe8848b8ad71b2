using System.Runtime.CompilerServices;
using System.Text;

namespace Raceway.Tests.Support;

/// <summary>Ends a test that hangs, with the positions of its ring. Nothing here asserts that something is fast.</summary>
/// <remarks>It counts pauses of its own, not the clock: a process that the machine has not run for minutes has not hung.</remarks>
internal static class Watchdog
{
    private const int SecondsALook = 30;
    private const int MostLooks = 12;
    private const int MostBlindLooks = 6;

    /// <summary>Fails if <paramref name="task"/> does not complete and nothing moves for a while.</summary>
    /// <param name="task">The task that must complete.</param>
    /// <param name="ring">The ring: its positions tell whether anything moves.</param>
    /// <param name="progress">Tells the same, if there is no ring. Without both, only the waiting time counts.</param>
    /// <param name="what">For the message.</param>
    public static async Task Await(
        Task task, Ring? ring = null, Func<long>? progress = null,
        [CallerArgumentExpression(nameof(task))] string what = "")
    {
        bool blind = ring is null && progress is null;
        long last = Moved(ring, progress);
        for (int looks = 1; !await CompletesInTime(task).ConfigureAwait(false); looks++)
        {
            long now = Moved(ring, progress);
            bool hangs = blind ? looks == MostBlindLooks : now == last || looks == MostLooks;
            if (hangs) Assert.Fail($"Hangs at {now}: {what}\n{Pool()}\n{Dump(ring)}");
            last = now;
        }

        await task.ConfigureAwait(false);
    }

    /// <inheritdoc cref="Await(Task, Ring?, Func{long}?, string)"/>
    public static async Task<T> Await<T>(
        Task<T> task, Ring? ring = null, [CallerArgumentExpression(nameof(task))] string what = "")
    {
        await Await((Task)task, ring, null, what).ConfigureAwait(false);
        return await task.ConfigureAwait(false);
    }

    public static Task OrHang(this Task task, [CallerArgumentExpression(nameof(task))] string what = "") =>
        Await(task, what: what);

    public static Task<T> OrHang<T>(this Task<T> task, [CallerArgumentExpression(nameof(task))] string what = "") =>
        Await(task, what: what);

    public static Task OrHang(this ValueTask task, [CallerArgumentExpression(nameof(task))] string what = "") =>
        Await(task.AsTask(), what: what);

    public static Task<T> OrHang<T>(this ValueTask<T> task, [CallerArgumentExpression(nameof(task))] string what = "") =>
        Await(task.AsTask(), what: what);

    /// <summary>Waits until <paramref name="condition"/> holds, without holding the processor.</summary>
    public static async Task UntilAsync(
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

    /// <inheritdoc cref="UntilAsync(Func{bool}, Ring?, string)"/>
    public static Task UntilAsync(Func<bool> condition, string what) => UntilAsync(condition, null, what);

    /// <summary>Waits on this thread, allocating nothing, until <paramref name="condition"/> holds.</summary>
    public static void Until(Func<bool> condition, string what)
    {
        const int MostAPause = 100;
        const int MostMilliseconds = MostBlindLooks * SecondsALook * 1000;
        long waited = 0, last = Environment.TickCount64;
        var spin = new SpinWait();
        while (!condition())
        {
            long now = Environment.TickCount64;
            waited += Math.Min(MostAPause, now - last);
            last = now;
            if (waited > MostMilliseconds) Assert.Fail($"Hangs: {what}\n{Pool()}");
            spin.SpinOnce(sleep1Threshold: -1);
        }
    }

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

    /// <summary>Where the ring and each of its stages stand, and which cells have waiters.</summary>
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

    private static async Task<bool> CompletesInTime(Task task)
    {
        for (int seconds = 0; seconds < SecondsALook && !task.IsCompleted; seconds++)
        {
            using var over = new CancellationTokenSource();
            await Task.WhenAny(task, Task.Delay(TimeSpan.FromSeconds(1), over.Token)).ConfigureAwait(false);
            await over.CancelAsync().ConfigureAwait(false);
        }

        return task.IsCompleted;
    }

    private static long Moved(Ring? ring, Func<long>? progress) =>
        progress?.Invoke() ?? (ring is null ? 0 : ring.Claims.ClaimedThrough + ring.Stages.Sum(stage => stage.Position));

    private static string Pool() =>
        $"pool: {ThreadPool.ThreadCount} threads, {ThreadPool.PendingWorkItemCount} waiting, "
        + $"{ThreadPool.CompletedWorkItemCount} done";
}
