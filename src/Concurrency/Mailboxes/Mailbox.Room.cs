using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Concurrency;

/// <content>Posters that wait for room.</content>
public sealed partial class Mailbox<T>
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void PostOrThrow(ClaimStatus status, T message, long sequence)
    {
        if (status == ClaimStatus.Full) status = WaitAndPost(message, sequence, Clock.Never);
        if (status == ClaimStatus.Stopped) throw Refusal();
    }

    private ClaimStatus WaitAndPost(T message, long sequence, long deadline)
    {
        CheckNotOwnHandler();
        Waiting waiting = BlockedPoster.Waiting;
        while (true)
        {
            long seen = _control.Word;
            ClaimStatus status = _queue.TryPost(message, out long next);
            if (status != ClaimStatus.Full) return status;
            if (deadline != Clock.Never && Clock.Now >= deadline) return ClaimStatus.TimedOut;
            sequence = Math.Max(sequence, next);
            waiting.Idle(new WaitTarget(_queue.Room, _queue.RoomFor(sequence), deadline, _control, seen) { Clock = Clock });
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    private async ValueTask PostWhenRoomAsync(T message, long sequence, CancellationToken cancellation)
    {
        CheckNotOwnHandler();
        while (true)
        {
            long seen = _control.Word;
            ClaimStatus status = _queue.TryPost(message, out long next);
            if (status == ClaimStatus.Done) return;
            if (status == ClaimStatus.Stopped) throw Refusal();
            sequence = Math.Max(sequence, next);
            await WaitForRoomAsync(sequence, seen, cancellation).ConfigureAwait(false);
        }
    }

    private ValueTask<bool> WaitForRoomAsync(long sequence, long seen, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        var target = new WaitTarget(_queue.Room, _queue.RoomFor(sequence), Clock.Never, _control, seen);
        return RoomWait.For(target, cancellation);
    }

    private void CheckNotOwnHandler()
    {
        if (Reentrancy.IsHandlerOf(this)) throw MailboxErrors.Full(Name, _options.Bound ?? 0);
    }
}

/// <summary>How threads wait that block for room: asleep, after a moment awake. One for each thread, whatever the mailbox.</summary>
internal static class BlockedPoster
{
    private const int Capacity = 1024;

    [ThreadStatic]
    private static Waiting? t_waiting;

    public static Waiting Waiting =>
        t_waiting ??= Wait.Park().Create(new WaitContext(LeadsChain: false, Capacity, HasStamps: true, IsProducer: true));
}
