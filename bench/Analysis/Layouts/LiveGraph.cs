using System.Collections;
using System.Reflection;
using Raceway.Concurrency;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Analysis.Layouts;

/// <summary>The objects of Raceway that can be reached from some, and the cells that their pointers point to.</summary>
internal sealed class LiveGraph
{
    private static readonly Assembly[] s_own = [typeof(RingBuffer<>).Assembly, typeof(Mailbox).Assembly, typeof(Plan).Assembly];
    private readonly HashSet<object> _seen = new(ReferenceEqualityComparer.Instance);
    private readonly HashSet<nint> _cells = [];

    public LiveGraph(IEnumerable<object> roots)
    {
        var open = new Stack<object>(roots);
        while (open.TryPop(out object? next))
        {
            if (!next.GetType().IsValueType && !_seen.Add(next)) continue;
            foreach (object found in Inside(next)) open.Push(found);
        }
    }

    /// <summary>The objects.</summary>
    public IReadOnlyCollection<object> Objects => _seen;

    /// <summary>Addresses of cells: whatever a <c>long*</c> points to.</summary>
    public IReadOnlyCollection<nint> Cells => _cells;

    private IEnumerable<object> Inside(object one)
    {
        Type type = one.GetType();
        if (one is IEnumerable many && (type.IsArray || type.Namespace == "System.Collections.Generic"))
            return type.GetElementType() is { IsPrimitive: true } ? [] : many.OfType<object>();
        return s_own.Contains(type.Assembly) ? Fields(one, type) : [];
    }

    private IEnumerable<object> Fields(object one, Type type)
    {
        for (Type? part = type; part is not null; part = part.BaseType)
        {
            foreach (FieldInfo field in part.GetFields(LayoutInspector.Declared))
            {
                object? value = field.GetValue(one);
                if (field.FieldType == typeof(long*)) AddCell(value);
                else if (value is not (null or Pointer) && !field.FieldType.IsPrimitive) yield return value;
            }
        }
    }

    // SAFETY: the pointer is not followed.
    private unsafe void AddCell(object? pointer)
    {
        if (pointer is Pointer boxed && Pointer.Unbox(boxed) is var address && address is not null) _cells.Add((nint)address);
    }
}
