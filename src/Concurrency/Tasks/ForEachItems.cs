namespace Raceway.Concurrency;

/// <summary>Items that can be reached by their number, by several threads at once.</summary>
internal interface IForEachItems<out T>
{
    int Count { get; }

    T this[int index] { get; }
}

/// <summary>Numbers one after another.</summary>
internal readonly struct NumberItems(int first, int count) : IForEachItems<int>
{
    public int Count => count;

    public int this[int index] => first + index;
}

/// <summary>Items of an array.</summary>
internal readonly struct ArrayItems<T>(T[] array, int offset, int count) : IForEachItems<T>
{
    public int Count => count;

    public T this[int index] => array[offset + index];
}

/// <summary>Items of a memory which is no array.</summary>
internal readonly struct MemoryItems<T>(ReadOnlyMemory<T> items) : IForEachItems<T>
{
    public int Count => items.Length;

    public T this[int index] => items.Span[index];
}

/// <summary>Items of a list.</summary>
internal readonly struct ListItems<T>(IReadOnlyList<T> items, int count) : IForEachItems<T>
{
    // Read once: a list that grows meanwhile is not followed.
    public int Count => count;

    public T this[int index] => items[index];
}
