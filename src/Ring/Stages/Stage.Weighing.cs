namespace Raceway.Rings;

/// <content>Batches of a limited weight.</content>
public abstract partial class Stage
{
    /// <summary>Whether anything says what an item weighs.</summary>
    private protected abstract bool CanWeigh { get; }

    /// <summary>Where the last batch was cut by its weight: the item that did not fit; -1 where none was.</summary>
    private protected long CutAt { get; set; } = -1;

    /// <summary>Why the next item cannot be weighed.</summary>
    private protected Exception? Unweighed { get; set; }

    private CloseReason ReasonOfCut(long end, Dispatch dispatch) =>
        dispatch.HasMaxWeight && end == CutAt ? CloseReason.Weight : CloseReason.Full;

    // As if its handler had thrown at that item alone.
    private StepResult OnUnweighed()
    {
        Exception fault = Unweighed!;
        Unweighed = null;
        long item = _at.Next;
        Reached = item;
        CallEnd = item + 1;
        FaultIsExact = true;
        object? outer = Reentrancy.Enter(_ring.Family);
        try
        {
            return OnFault(fault, item, 1);
        }
        finally
        {
            Reentrancy.Exit(outer);
        }
    }
}
