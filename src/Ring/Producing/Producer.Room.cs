namespace Raceway.Rings;

/// <content>Room, for a caller that must not wait in this handle: a stage that publishes, a publisher that many threads share.</content>
public abstract partial class Producer<T>
{
    /// <summary>Whether <paramref name="count"/> slots are free for this producer; where not, what to wait for.</summary>
    internal bool HasRoom(int count, out Progress cell, out long awaited)
    {
        bool free = Reserve(count, out long last);
        (cell, awaited) = RoomTarget(last);
        return free;
    }

    /// <summary>Copies as many of <paramref name="items"/> as there is room for, and leaves the rest.</summary>
    /// <returns>Done where nothing is left, full or stopped.</returns>
    internal ClaimStatus TryPublishSome(ref ReadOnlySpan<T> items)
    {
        CheckCopies();
        while (!items.IsEmpty)
        {
            int count = Math.Min(Math.Clamp(Remaining, 1, LargestPart), items.Length);
            ClaimStatus status = TryClaim(count, out Claim<T> claim);
            // Others may have taken some of what remained.
            if (status == ClaimStatus.Full && count > 1) status = TryClaim(count = 1, out claim);
            if (status != ClaimStatus.Done) return status;
            using Claim<T> owned = claim;
            owned.Write(items[..count]);
            owned.Commit();
            items = items[count..];
        }

        return ClaimStatus.Done;
    }

    /// <summary>Its callers begin to wait for room elsewhere; returns the control word to wait with.</summary>
    internal long BeginRest()
    {
        _waiting.Rest(Stall.Blocked);
        return Ring.BeginBlocked();
    }

    /// <summary>They have room, or have given up.</summary>
    internal void EndRest()
    {
        _waiting.Stalls.Work();
        Ring.EndBlocked();
    }
}
