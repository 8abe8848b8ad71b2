using Raceway.Rings;

namespace Raceway.Pipelines;

/// <summary>A delegate as a handler of single items, for what wraps handlers.</summary>
internal readonly struct DelegateHandler<T>(SlotAction<T> action) : IEventHandler<T>, IWrapper
{
    public object Inner
    {
        get => action;
        set { }
    }

    public void OnEvent(ref T item, long sequence, bool endOfBatch) => action(ref item);
}
