using System.Runtime.CompilerServices;
using System.Text;

namespace Raceway.Rings.Tests;

/// <summary>The only clock of these tests: whatever takes ten seconds hangs, and fails with the ring's positions.</summary>
internal static class Watchdog
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(10);

    public static async Task Await(Task task, Ring? ring = null, [CallerArgumentExpression(nameof(task))] string what = "")
    {
        if (await Task.WhenAny(task, Task.Delay(s_limit)) != task) Assert.Fail($"Hangs: {what}\n{Dump(ring)}");
        await task;
    }

    public static async Task<T> Await<T>(
        Task<T> task, Ring? ring = null, [CallerArgumentExpression(nameof(task))] string what = "")
    {
        await Await((Task)task, ring, what);
        return await task;
    }

    /// <summary>Waits until <paramref name="condition"/> holds.</summary>
    public static async Task Until(
        Func<bool> condition, Ring? ring = null, [CallerArgumentExpression(nameof(condition))] string what = "")
    {
        long end = Environment.TickCount64 + (long)s_limit.TotalMilliseconds;
        for (int looks = 0; !condition(); looks++)
        {
            if (Environment.TickCount64 > end) Assert.Fail($"Never came true: {what}\n{Dump(ring)}");
            if (looks < 100) await Task.Yield();
            else await Task.Delay(1);
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

    public static string Dump(Ring? ring)
    {
        if (ring is null) return "";
        var text = new StringBuilder();
        Sequencer sequencer = ring.Sequencer;
        text.Append(
            $"ring {ring.State}: capacity {ring.Capacity}, claimed {sequencer.ClaimedThrough}, "
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
