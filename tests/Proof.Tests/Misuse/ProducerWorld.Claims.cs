namespace Raceway.Proof.Tests.Misuse;

/// <content>Claims, their copies, and the producer in registers.</content>
internal abstract partial class ProducerWorld<T, TShape>
{
    private void AddClaims()
    {
        Add("Claim", 6, Claiming, (ref h) =>
        {
            int count = Count(h.Player);
            Forget(ref h);
            h.Claim = Handle(h.Player).Claim(count, h.Player.Token());
            Fill(ref h);
        }, waits: true);
        Add("TryClaim", 20, Claiming, (ref h) =>
        {
            int count = Count(h.Player);
            Forget(ref h);
            ClaimStatus status = Handle(h.Player).TryClaim(count, out Claim<T> claim);
            Took(ref h, claim, status);
        });
        Add("TryClaim, timed", 8, Claiming, (ref h) =>
        {
            int count = Count(h.Player);
            Forget(ref h);
            ClaimStatus status = Handle(h.Player).TryClaim(count, h.Player.Time(), out Claim<T> claim, h.Player.Token());
            Took(ref h, claim, status);
        });
        Add("Claim.Commit", 18, May.Publish, (ref h) => Commit(h.Player, ref h.Claim, ref h.ClaimItems, null));
        Add("Claim.Commit(count)", 6, May.Publish | May.Argument, (ref h) =>
            Commit(h.Player, ref h.Claim, ref h.ClaimItems, h.Player.Dice.Next(-1, h.ClaimItems.Count + 1)));
        Add("Claim.Abort", 5, May.Misuse, (ref h) => Abort(h.Player, ref h.Claim, ref h.ClaimItems));
        Add("Claim.Dispose", 8, May.Misuse, (ref h) => Dispose(h.Player, ref h.Claim, ref h.ClaimItems));
        Add("copy of a claim", 8, May.Misuse, (ref h) =>
        {
            // Items of a claim that is still open go with it: whichever copy ends it decides.
            if (!h.CopyItems.IsEnded && h.CopyItems.Claim != h.ClaimItems.Claim) Dispose(h.Player, ref h.Copy, ref h.CopyItems);
            h.Copy = h.Claim;
            h.CopyItems = h.ClaimItems;
        });
        Add("copy: Commit", 6, May.Publish, (ref h) => Commit(h.Player, ref h.Copy, ref h.CopyItems, null));
        Add("copy: Commit(count)", 2, May.Publish | May.Argument, (ref h) =>
            Commit(h.Player, ref h.Copy, ref h.CopyItems, h.Player.Dice.Next(-1, h.CopyItems.Count + 1)));
        Add("copy: Abort", 4, May.Misuse, (ref h) =>
            Abort(h.Player, ref h.Copy, ref h.CopyItems));
        Add("copy: Dispose", 6, May.Misuse, (ref h) =>
            Dispose(h.Player, ref h.Copy, ref h.CopyItems));
        Add("Claim: Sequence, Count, slots", 6, May.Argument | May.Misuse, (ref h) =>
        {
            if (h.ClaimItems.IsEnded || !IsChecked) return;
            long sequence = h.Claim.Sequence;
            if (sequence < 0 || h.Claim.Count != h.ClaimItems.Count) Ledger.Fault($"a claim of {h.Claim.Count} at {sequence}");
            int seen = 0;
            foreach (ref T slot in h.Claim)
                if (TShape.Read(ref slot) != h.ClaimItems.First + seen++) Ledger.Fault("an open claim's slot was written by another");
            if (TShape.Read(ref h.Claim.Slot) != h.ClaimItems.First) Ledger.Fault("the first slot of a claim is another's");
            if (First.Options.SlotStride == 0 && h.Claim.First.Length + h.Claim.Second.Length != seen) Ledger.Fault("spans of a claim");
            TShape.Fill(ref h.Claim[h.Player.Dice.OneIn(2) ? -1 : seen], 0);
        });
    }

    /// <summary>Whether a claim was left open for good: what was lent to it is never given back.</summary>
    protected bool Forgotten { get; private set; }

    private static void Took(ref Hand<T> h, Claim<T> claim, ClaimStatus status)
    {
        h.Player.Count(status);
        h.Claim = claim;
        if (status == ClaimStatus.Done) Fill(ref h);
        else h.ClaimItems = default;
    }

    private static void Fill(ref Hand<T> h)
    {
        h.ClaimItems = default;
        int count = h.Claim.Count;
        try
        {
            h.ClaimItems = h.Player.Make(count) with { Claim = new ClaimOfItems() };
            if (h.ClaimItems.Count < count) throw new OutOfItemsException();
        }
        catch (OutOfItemsException)
        {
            h.Player.Ledger.Say(h.ClaimItems, Said.Refused);
            h.ClaimItems = default;
            h.Claim.Dispose();
            throw;
        }

        for (int i = 0; i < count; i++) TShape.Fill(ref h.Claim[i], h.ClaimItems.First + i);
    }

    // One that is left open and forgotten holds its ring up for good: once in a while.
    private void Forget(ref Hand<T> h)
    {
        if (h.ClaimItems.IsEnded) return;
        if (h.CopyItems.Claim == h.ClaimItems.Claim) return;
        if (h.Player.Dice.OneIn(30))
        {
            Forgotten = true;
            return;
        }

        h.Player.Ledger.Say(h.ClaimItems, Said.Refused);
        h.ClaimItems.Claim!.IsEnded = true;
        h.Claim.Dispose();
    }

    private void Commit(Player player, ref Claim<T> claim, ref Items items, int? count)
    {
        bool wasEnded = items.IsEnded;
        int published = count ?? items.Count;
        bool inRange = published >= 0 && published <= items.Count;
        Items of = items;
        try
        {
            if (inRange) items.Claim?.IsEnded = true;
            if (count is { } some) claim.Commit(some);
            else claim.Commit();
            if (wasEnded) Ledger.Fault($"{player.Now}: a second end of the same claim was not refused, of {of.Count} at {claim.Sequence}");
            if (wasEnded) return;
            Ledger.Say(of.First, published, Said.Done);
            Ledger.Say(of.First + published, of.Count - published, Said.Refused);
        }
        catch (InvalidOperationException) when (!wasEnded && inRange)
        {
            // Of a group, some may have come in time.
            Ledger.Say(of.First, published, of.Count == 1 ? Said.Refused : Said.Unknown);
            Ledger.Say(of.First + published, of.Count - published, Said.Refused);
            throw;
        }
    }

    private void Abort(Player player, ref Claim<T> claim, ref Items items)
    {
        bool wasEnded = items.IsEnded;
        items.Claim?.IsEnded = true;
        if (!wasEnded) Ledger.Say(items, Said.Refused);
        claim.Abort();
        if (wasEnded) Ledger.Fault($"{player.Now}: a second end of the same claim was not refused, of {items.Count}");
    }

    private void Dispose(Player player, ref Claim<T> claim, ref Items items)
    {
        bool wasEnded = items.IsEnded;
        items.Claim?.IsEnded = true;
        if (!wasEnded) Ledger.Say(items, Said.Refused);
        _ = player;
        claim.Dispose();
    }

    private void AddOpen()
    {
        Add("Open", 4, May.Publish, (ref h) =>
        {
            if (h.IsOpen) EndOpen(ref h);
            if (Handle(h.Player) is not SingleProducer<T> single) return;
            h.Open = single.Open();
            h.IsOpen = h.WasOpened = true;
        });
        Add("Open: Claim", 6, May.Publish | May.Reentrant, (ref h) =>
        {
            // After Dispose too: it must be refused.
            if (!h.WasOpened) return;
            Items items = h.Player.Make(1);
            ref T slot = ref h.Open.Claim();
            GiveUp(ref h);
            h.OpenItems = items;
            TShape.Fill(ref slot, items.First);
        }, waits: true);
        Add("Open: Claim(count)", 6, May.Publish | May.Reentrant | May.Argument, (ref h) =>
        {
            if (!h.WasOpened) return;
            int wished = Count(h.Player);
            Items items = h.Player.Make(Math.Max(1, wished));
            Batch<T> slots = h.Open.Claim(wished < 1 ? wished : items.Count);
            GiveUp(ref h);
            h.OpenItems = items;
            for (int i = 0; i < items.Count; i++) TShape.Fill(ref slots[i], items.First + i);
        }, waits: true);
        // One that was given back refuses: OpenProducerTests.
        Add("Open: Commit", 14, May.Publish, (ref h) =>
        {
            if (!h.IsOpen) return;
            Items items = h.OpenItems;
            h.OpenItems = default;
            h.Open.Commit();
            Ledger.Say(items, Said.Done);
        }, group: true);
        Add("Open: Commit(count)", 6, May.Publish | May.Argument, (ref h) =>
        {
            if (!h.IsOpen) return;
            Items items = h.OpenItems;
            int published = h.Player.Dice.Next(-1, items.Count + 1);
            h.Open.Commit(published);
            h.OpenItems = default;
            Ledger.Say(items.First, published, Said.Done);
            Ledger.Say(items.First + published, items.Count - published, Said.Refused);
        }, group: true);
        Add("Open: Publish", 12, May.Publish | May.Reentrant, (ref h) =>
        {
            if (!h.WasOpened) return;
            Items items = h.Player.Make(1);
            h.Open.Publish(TShape.Make(items.First));
            GiveUp(ref h);
            h.Player.Told(items, ClaimStatus.Done);
        }, waits: true);
        Add("Open: Dispose", 10, May.Misuse, (ref h) => EndOpen(ref h));
    }

    // What is claimed and not committed is claimed again by the next claim; one that is refused changes nothing.
    private static void GiveUp(ref Hand<T> h)
    {
        h.Player.Ledger.Say(h.OpenItems, Said.Refused);
        h.OpenItems = default;
    }

    private static void EndOpen(ref Hand<T> h)
    {
        GiveUp(ref h);
        h.IsOpen = false;
        h.Open.Dispose();
    }

    protected override void Leave(ref Hand<T> hand)
    {
        if (hand.IsOpen) EndOpen(ref hand);
        if (!hand.ClaimItems.IsEnded) Dispose(hand.Player, ref hand.Claim, ref hand.ClaimItems);
        if (!hand.CopyItems.IsEnded) Dispose(hand.Player, ref hand.Copy, ref hand.CopyItems);
    }
}
