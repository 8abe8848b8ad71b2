namespace Raceway.Lab.Reporting;

/// <summary>Heat maps: plain tables, so that they are read, copied and printed without any program.</summary>
internal static class HtmlHeatMap
{
    /// <summary>Appends a heat map.</summary>
    public static void Add(HtmlBody body, ReportHeatMap map)
    {
        string id = body.NextId("map");
        body.Add($"""
            <div class="wide" role="region" aria-labelledby="{id}" tabindex="0"><table class="heat">
            <caption id="{id}"><span>{map.Caption}</span></caption>
            <thead><tr><th scope="col">{map.Down} \ {map.Across}</th>
            """);
        foreach (string column in map.Columns)
        {
            body.Add($"<th scope=\"col\">{column}</th>");
        }

        body.Add($"</tr></thead>\n<tbody>\n");
        foreach (HeatRow row in map.Rows)
        {
            body.Add($"<tr><th scope=\"row\">{row.Name}</th>");
            foreach (HeatCell? cell in row.Cells)
            {
                if (cell is null) body.Add($"<td class=\"none\">{Figure.None}</td>");
                else Add(body, cell);
            }

            body.Add($"</tr>\n");
        }

        body.Add($"</tbody></table></div>\n");
    }

    private static void Add(HtmlBody body, HeatCell cell)
    {
        string shade = HeatScale.ClassOf(cell.Shade);
        body.Add($"<td class=\"{(cell.IsBest ? $"{shade} best" : shade)}\" title=\"{cell.Detail}\">{cell.Text}");
        if (cell.IsBest) body.Add($"<span class=\"hidden\"> (best)</span>");
        body.Add($"</td>");
    }
}
