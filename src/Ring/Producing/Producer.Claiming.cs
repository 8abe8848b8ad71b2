using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <content>What all calls that claim come to.</content>
public abstract partial class Producer<T>
{
    private ClaimStatus TryClaim(
        int count, TimeSpan timeout, bool suspended, out Claim<T> claim, CancellationToken cancellation)
    {
        CheckCount(count);
        ClaimStatus status = Plain
            ? Acquire(count, timeout, cancellation, out long first, out long number)
            : AcquireChecked(count, timeout, suspended, out first, out number, cancellation);
        if (status != ClaimStatus.Done)
        {
            claim = default;
            return status;
        }

        if (Ring.Payloads is { } payloads) Lend(payloads, number, first, count);
        claim = new Claim<T>(this, number, Slots.View(first, count, null));
        return status;
    }

    private ClaimStatus TryClaimNow(int count, bool suspended, out Claim<T> claim)
    {
        ClaimStatus status = TryClaim(count, NoWait, suspended, out claim, CancellationToken.None);
        return status == ClaimStatus.TimedOut ? ClaimStatus.Full : status;
    }

    private ClaimStatus TryPublishNow<TState>(TState state, SlotWriter<T, TState> write, bool suspended)
        where TState : allows ref struct
    {
        ClaimStatus status = TryClaimNow(1, suspended, out Claim<T> claim);
        if (status == ClaimStatus.Done) Put(ref claim, state, write);
        return status;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private ClaimStatus AcquireChecked(
        int count, TimeSpan timeout, bool suspended, out long first, out long number, CancellationToken cancellation)
    {
        Enter(suspended);
        try
        {
            return Acquire(count, timeout, cancellation, out first, out number);
        }
        finally
        {
            Leave();
        }
    }

    // The accessor is the user's: if it throws, the claim is given up.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Lend(PayloadColumn<T> payloads, long number, long first, int count)
    {
        bool lent = false;
        try
        {
            payloads.Lend(first, count);
            lent = true;
        }
        finally
        {
            if (!lent) TryEnd(number, first, count, 0);
        }
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Put<TState>(ref Claim<T> claim, TState state, SlotWriter<T, TState> write)
        where TState : allows ref struct
    {
        try
        {
            write(ref claim.Slot, state);
            claim.Commit();
        }
        catch (NullReferenceException fault) when (claim.Slot is null)
        {
            throw ProducerErrors.EmptySlot(typeof(T), fault);
        }
        finally
        {
            claim.Dispose();
        }
    }
}
