namespace Raceway.Tests.Support;

/// <summary>Data for theories: every combination.</summary>
internal static class Cross
{
    public static TheoryData<T1, T2> Of<T1, T2>(IEnumerable<T1> firsts, IReadOnlyList<T2> seconds)
    {
        var data = new TheoryData<T1, T2>();
        foreach (T1 first in firsts)
            foreach (T2 second in seconds) data.Add(first, second);
        return data;
    }

    public static TheoryData<T1, T2, T3> Of<T1, T2, T3>(
        IEnumerable<T1> firsts, IReadOnlyList<T2> seconds, IReadOnlyList<T3> thirds)
    {
        var data = new TheoryData<T1, T2, T3>();
        foreach (T1 first in firsts)
            foreach (T2 second in seconds)
                foreach (T3 third in thirds) data.Add(first, second, third);
        return data;
    }
}
