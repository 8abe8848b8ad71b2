using System.Text;

namespace Raceway.Explorer.Engine;

/// <summary>What happened in an execution, line by line.</summary>
internal sealed class Trace
{
    private const int MostLines = 4_000;

    private readonly List<string> _lines = [];

    public void Add(ModelThread thread, string what)
    {
        if (_lines.Count < MostLines) _lines.Add($"{_lines.Count + 1,5}  {thread.Name,-12} {what}");
    }

    /// <summary>The last <paramref name="most"/> lines.</summary>
    public string Print(int most = int.MaxValue)
    {
        var text = new StringBuilder();
        foreach (string line in _lines.Skip(Math.Max(0, _lines.Count - most))) text.AppendLine(line);
        return text.ToString();
    }
}
