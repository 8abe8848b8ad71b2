using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>Makes any number of items of one, and publishes them into the next segment's ring.</summary>
/// <remarks>
/// An item is done when its last output is published. Its outputs are committed together where they fit what is free;
/// otherwise what fits is, and the rest follows from aside before the next item is begun.
/// </remarks>
internal sealed class ExpandStage<TIn, TOut>(
    Ring ring, Slots<TIn> column, IExpandHandler<TIn, TOut> handler, SingleProducer<TOut> next, Func<TOut>? create,
    StageInput input, StageOptions options, string name)
    : ForwardingStage<TIn, TOut>(ring, column, next, options, name)
{
    private readonly Outputs<TOut> _outputs = new(next.Slots, create);
    private InputWalk _walk = new(input);

    internal override object Handler
    {
        get => handler;
        set { }
    }

    protected override bool Forward()
    {
        while (!Ends)
        {
            if (_outputs.Aside == 0 && Reached == CallEnd) return true;
            int count = Claim(_outputs.Aside == 0 ? int.MaxValue : _outputs.Aside, out Claim<TOut> claim);
            if (count == 0)
            {
                if (TryRest(Math.Max(1, _outputs.Aside))) return false;
                continue;
            }

            try
            {
                if (_outputs.Aside == 0) Expand(claim, count);
                else Follow(claim);
            }
            catch (InvalidOperationException) when (Next.Ring.Control.IsClosed)
            {
                EndWithNext();
            }
        }

        return true;
    }

    private void Expand(Claim<TOut> claim, int count)
    {
        // Progress is reported as often as the policy says, and at the end of what was claimed.
        long end = Math.Min(CallEnd, Reached + Dispatch.ReportInterval);
        long reached = Reached;
        _outputs.Begin(claim.Sequence, count);
        try
        {
            var output = new Emitter<TOut>(_outputs);
            while (reached < end && !_outputs.IsFull && !Owner.Control.IsHalted)
            {
                reached = _walk.Next(reached, end);
                if (reached == end) break;
                handler.OnItem(ref Column.Run(reached, 1, ref LaneRun, out _), output);
                _outputs.EndItem();
                reached++;
            }
        }
        catch
        {
            _outputs.Undo();
            throw;
        }
        finally
        {
            claim.Commit(_outputs.InSlots);
            Report(reached);
        }
    }

    private void Follow(Claim<TOut> claim)
    {
        _outputs.Move(claim);
        claim.Commit();
        // These are the outputs of the item that was begun last.
        if (_outputs.Aside == 0) Report(Reached + 1);
    }

    // An item with outputs aside is not done yet.
    private void Report(long reached)
    {
        if (_outputs.Aside != 0) reached--;
        if (reached == Reached) return;
        Reached = reached;
        Done.Advance(reached - 1);
    }
}
